use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input * 2)
}

#[block(sequencer)]
fn pipeline(input: u32) -> (u32, u32) {
    input.parallel((one, two), max_concurrency = "2")
}

fn main() {}
