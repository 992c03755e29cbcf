use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

macro_rules! a_block {
    () => {
        one
    };
}

#[block(router, routes = [a_block!()])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
