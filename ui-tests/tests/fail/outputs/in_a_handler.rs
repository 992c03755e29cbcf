use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(handler)]
async fn nosy(n: u64, ctx: Ctx) -> Result<Option<u64>> {
    assert_eq!(n, 1);
    Ok(ctx.output_of(work))
}

fn main() {}
