use flowstate::prelude::*;

pub struct Secret;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(_input: Secret) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
