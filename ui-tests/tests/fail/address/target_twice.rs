use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, targets(outer = Tally))]
async fn deep(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.targets.outer.count.get())
}

mod near {
    use flowstate::prelude::*;
    #[block(sequencer, state = super::Tally)]
    pub fn outer(input: u32) -> u32 {
        input.step(super::deep)
    }
}

#[block(sequencer, state = Tally)]
fn outer(input: u32) -> u32 {
    input.step(near::outer)
}

fn main() {}
