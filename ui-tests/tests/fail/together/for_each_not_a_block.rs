use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer)]
async fn pipeline(input: Vec<u32>, ctx: Ctx) -> Result<Vec<u32>> {
    ctx.for_each(Helper, input).await
}

fn main() {}
