use flowstate::prelude::*;

async fn helper(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(helper, input).await
}

fn main() {}
