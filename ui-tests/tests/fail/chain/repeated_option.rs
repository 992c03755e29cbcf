use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: Vec<u32>) -> Vec<u32> {
    input.for_each(one, max_concurrency = 4, max_concurrency = 5)
}

fn main() {}
