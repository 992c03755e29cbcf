use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn shout(input: u32) -> Result<String> {
    Ok(input.to_string())
}

#[data]
pub struct Both {
    left: u32,
    right: String,
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<Both> {
    ctx.parallel(Both { left: one, right: shout }, input).await
}

fn main() {}
