use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

pub struct Lost;

#[block(router, routes = [one])]
async fn pick(_input: &u32) -> Result<Route, Lost> {
    Err(Lost)
}

fn main() {}
