use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, targets(outer = Tally))]
async fn deep(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.targets.outer.count.get())
}

#[block(sequencer)]
fn outer(input: u32) -> u32 {
    input.step(deep)
}

fn main() {}
