use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one, two], stat = Picks)]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(pick)
}

#[block(router, routes = [pick, one])]
async fn outer(_input: &u32) -> Result<Route> {
    Ok(Route::Pick)
}

fn main() {}
