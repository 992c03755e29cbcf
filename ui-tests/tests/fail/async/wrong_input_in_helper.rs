use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer, steps = [one])]
async fn pipeline(input: String, ctx: Ctx) -> Result<u32> {
    helper(&ctx, input).await
}

async fn helper(ctx: &Ctx<'_, pipeline>, text: String) -> Result<u32> {
    ctx.step(one, text).await
}

fn main() {}
