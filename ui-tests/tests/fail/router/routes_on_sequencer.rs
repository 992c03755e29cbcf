use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer, routes = [one])]
fn pick(input: u32) -> u32 {
    input.step(one)
}

fn main() {}
