use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(handler)]
async fn wait(n: u64, ctx: Ctx) -> Result<bool> {
    assert_eq!(n, 1);
    Ok(ctx.wait_for_condition(|items| items.is_empty(), std::time::Duration::from_secs(5)).await.timed_out)
}

fn main() {}
