use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn helper(_: Rescued) -> u32 {
    0
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one).rescue(helper)
}

fn main() {}
