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
fn first(input: u32) -> u32 {
    input.step(deep)
}

#[block(sequencer)]
fn second(input: u32) -> u32 {
    input.step(deep)
}

flow! {
    #[flow(kind = "deep")]
    pub struct Deep {
        pub first: first,
        pub second: second,
    }
}

fn main() {}
