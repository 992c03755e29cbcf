use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    let c = &ctx;
    c.step(two, 1).await?;
    ctx.step(one, input).await
}

fn main() {}
