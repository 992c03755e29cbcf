use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input * 2)
}

async fn helper(ctx: &Ctx<'_, pipeline>) -> Result<Vec<u32>> {
    ctx.for_each(two, vec![1, 2]).await
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    helper(&ctx).await?;
    ctx.step(one, input).await
}

fn main() {}
