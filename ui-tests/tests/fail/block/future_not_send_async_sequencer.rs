use flowstate::prelude::*;
use std::rc::Rc;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    let shared = Rc::new(input);
    ctx.step(one, input).await?;
    Ok(*shared)
}

fn main() {}
