use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [#[cfg(any())] one])]
async fn pick(_input: &u32) -> Result<Route> {
    Err(Error::msg("none"))
}

fn main() {}
