use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, steps = [one])]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
