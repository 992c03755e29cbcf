use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn helper(v: u32) -> u32 {
    v + 1
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(helper(3))
}

fn main() {}
