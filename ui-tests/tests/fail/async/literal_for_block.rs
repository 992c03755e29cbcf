use flowstate::prelude::*;

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(7, input).await
}

fn main() {}
