use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parent = Tally)]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.parent.count.get())
}

#[block(handler)]
async fn zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(child.rescue::<Error>(zero))
}

fn main() {}
