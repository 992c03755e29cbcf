use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, parent = Tally)]
async fn fallback(_: Rescued, ctx: Ctx) -> Result<u32> {
    Ok(ctx.parent.count.get())
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(one.rescue::<Error>(fallback), input).await
}

fn main() {}
