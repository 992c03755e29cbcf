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
async fn counts(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.count.inc(input)?;
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    #[cfg(any())]
    let input = ctx.step(absent, input).await?;
    #[cfg(all())]
    let input = ctx.step(one, input).await?;
    ctx.step(counts, input).await
}

fn main() {}
