use flowstate::prelude::*;

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(|v: u32| v + 1, input).await
}

fn main() {}
