use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, sequencer = Option<Tally>)]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.sequencer.count.get())
}

fn main() {}
