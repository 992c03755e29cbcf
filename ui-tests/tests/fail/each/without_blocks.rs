use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: Vec<u32>) -> Vec<u32> {
    input.for_each(|item| Each::One)
}

fn main() {}
