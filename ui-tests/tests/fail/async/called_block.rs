use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    let more = ctx.step(one, input).await?;
    if more > 1 {
        return one(more).await;
    }
    one(more).await
}

#[block(sequencer, steps = [self::one])]
async fn other(input: u32, ctx: Ctx) -> Result<u32> {
    let _ = ctx;
    self::one(input).await
}

fn main() {}
