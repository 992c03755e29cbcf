use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parent = Tally)]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.parent.count.get())
}

#[block(handler, parent = Tally)]
async fn fallback(_: Rescued, ctx: Ctx) -> Result<u32> {
    Ok(ctx.parent.count.get())
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(child.rescue::<Error>(fallback))
}

fn main() {}
