use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(_input: &u32) -> Result<Option<Route>> {
    Ok(None)
}

fn main() {}
