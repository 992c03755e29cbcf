use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(Helper, input).await
}

fn main() {}
