use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn shout(input: u32) -> Result<String> {
    Ok(input.to_string())
}

#[data]
pub struct Both {
    left: u32,
    right: String,
}

#[block(sequencer)]
fn pipeline(input: u32) -> Both {
    let left = one;
    input.parallel(Both { left, right: shout })
}

fn main() {}
