use flowstate::prelude::*;

#[block(handler)]
async fn broken<T: ToString>(input: T) -> Result<u32> {
    Ok(1)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(broken)
}

fn main() {}
