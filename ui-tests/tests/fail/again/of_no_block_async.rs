use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer)]
async fn planner(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(again(Helper), input).await
}

fn main() {}
