use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
async fn all(n: u64, ctx: Ctx) -> Result<bool> {
    ctx.step(work, n).await?;
    Ok(ctx.wait_for_condition(|items| items.is_empty()).await.timed_out)
}

fn main() {}
