use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, sequencer = Tally)]
async fn deep(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.sequencer.count.get())
}

#[block(sequencer)]
fn inner(input: u32) -> u32 {
    input.step(deep)
}

#[block(sequencer)]
fn middle(input: u32) -> u32 {
    input.step(inner)
}

#[block(sequencer)]
fn top(input: u32) -> u32 {
    input.step(middle)
}

flow! {
    #[flow(kind = "deep")]
    pub struct Deep {
        pub top: top,
    }
}

fn main() {}
