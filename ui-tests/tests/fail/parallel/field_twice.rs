use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input * 2)
}

#[data]
pub struct Both {
    left: u32,
    right: String,
}

#[block(sequencer)]
fn pipeline(input: u32) -> Both {
    input.parallel(Both { left: one, left: two })
}

fn main() {}
