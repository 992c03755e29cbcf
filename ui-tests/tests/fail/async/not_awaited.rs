use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
#[deny(unused_must_use)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(one, input);
    Ok(input)
}

fn main() {}
