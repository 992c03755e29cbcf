use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, parent = Tally)]
async fn fallback(_: Rescued, ctx: Ctx) -> Result<u32> {
    Ok(ctx.parent.count.get())
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one.rescue::<Error>(fallback))
}

fn main() {}
