use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn shout(input: u32) -> Result<String> {
    Ok(format!("{input}!"))
}

#[block(router, routes = [one, shout])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
