use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: Vec<String>, ctx: Ctx) -> Result<Vec<u32>> {
    ctx.for_each(one, input).await
}

fn main() {}
