use flowstate::prelude::*;

pub struct Tally {
    pub count: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer, state = Tally)]
fn pipeline(input: u32) -> u32 {
    input.step(one)
}

fn main() {}
