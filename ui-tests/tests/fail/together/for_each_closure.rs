use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: Vec<u32>, ctx: Ctx) -> Result<Vec<u32>> {
    ctx.for_each(|v| v, input).await
}

fn main() {}
