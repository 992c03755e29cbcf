use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn text(input: String) -> Result<u32> {
    Ok(input.len() as u32)
}

#[block(router, routes = [one, text])]
async fn pick(_input: u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
