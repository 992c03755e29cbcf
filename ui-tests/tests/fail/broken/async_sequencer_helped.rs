use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer, stpes = [one])]
async fn broken(input: u32, ctx: Ctx) -> Result<u32> {
    helper(&ctx).await
}

async fn helper(ctx: &Ctx<'_, broken>) -> Result<u32> {
    ctx.step(one, 1).await
}

fn main() {}
