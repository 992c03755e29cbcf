use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(_input: &mut u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
