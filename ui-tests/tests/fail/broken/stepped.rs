use flowstate::prelude::*;

#[block(handler, sate = u32)]
async fn broken(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(broken)
}

fn main() {}
