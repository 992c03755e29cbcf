use flowstate::prelude::*;

#[state]
pub struct Sum {
    pub sum: u32,
}

#[block(handler, parent = Sum)]
async fn add(input: u32, ctx: Ctx, #[config] times: u32) -> Result<u32> {
    ctx.parent.sum.inc(input * times)?;
    Ok(input)
}

#[block(sequencer)]
fn twice(input: u32) -> u32 {
    input.step(add(2))
}

fn main() {}
