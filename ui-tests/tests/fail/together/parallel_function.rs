use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn helper(v: u32) -> u32 {
    v + 1
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<(u32, u32)> {
    ctx.parallel((one, helper), input).await
}

fn main() {}
