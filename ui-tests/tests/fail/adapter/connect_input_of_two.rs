use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one.connect_input(|v: u32, w: u32| v + w))
}

fn main() {}
