use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(handler)]
async fn other(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
async fn all(n: u64, ctx: Ctx) -> Result<Option<u64>> {
    ctx.step(work, n).await?;
    Ok(ctx.output_of(other))
}

fn main() {}
