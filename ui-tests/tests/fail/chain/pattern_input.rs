use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline((a, b): (u32, u32)) -> u32 {
    a.step(one)
}

fn main() {}
