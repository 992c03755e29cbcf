use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] by: u32) -> Result<u32> {
    Ok(input * by)
}

#[block(sequencer)]
async fn twice(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(scale, input).await
}

fn main() {}
