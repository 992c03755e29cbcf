use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, targets(outer = Tally))]
async fn targeted(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.targets.outer.count.get())
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(targeted.connect_output(|v| v + 1))
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub go: pipeline,
    }
}

fn main() {}
