use flowstate::prelude::*;

#[block(handler)]
async fn broken(input: u32) -> Result<u32> {
    Ok(input + missing)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(broken)
}

fn main() {}
