use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<(u32, String)> {
    ctx.parallel((one, takes_text), input).await
}

fn main() {}
