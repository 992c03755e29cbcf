use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

fn last(ctx: &Ctx<'_, all>) -> Option<u64> {
    ctx.output_of(work)
}

#[block(sequencer)]
async fn all(n: u64, ctx: Ctx) -> Result<Option<u64>> {
    ctx.step(work, n).await?;
    Ok(last(&ctx))
}

fn main() {}
