use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn three(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input
        .step(one)
        .step(two)
        .loop_back(one, max_iterations = 3)
        .step(three)
        .loop_back(two, max_iterations = 3)
}

fn main() {}
