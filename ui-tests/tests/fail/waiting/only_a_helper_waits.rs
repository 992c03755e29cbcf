use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

async fn done(ctx: &Ctx<'_, all>) -> bool {
    !ctx.wait_for_condition(|items| items.is_empty(), std::time::Duration::from_secs(5)).await.timed_out
}

#[block(sequencer)]
async fn all(n: u64, ctx: Ctx) -> Result<bool> {
    ctx.step(work, n).await?;
    Ok(done(&ctx).await)
}

fn main() {}
