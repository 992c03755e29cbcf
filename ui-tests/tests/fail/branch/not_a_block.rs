use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

pub struct Helper;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.branch((|v| *v > 1, Helper), one)
}

fn main() {}
