use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, routes = [one])]
async fn pick(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
