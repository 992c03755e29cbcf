use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, targets(outer = Tally))]
async fn deep(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.targets.outer.count.get())
}

#[block(sequencer, state = Tally)]
fn outside(input: u32) -> u32 {
    input.step(deep)
}

flow! {
    #[flow(kind = "missing")]
    pub struct Missing {
        pub go: outside,
    }
}

fn main() {}
