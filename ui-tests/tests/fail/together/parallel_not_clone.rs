use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input * 2)
}

pub struct Once(u32);

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<(u32, u32)> {
    ctx.parallel((one.connect_input(|v: u32| v), two), Once(input)).await
}

fn main() {}
