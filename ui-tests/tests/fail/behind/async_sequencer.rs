use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, sequencer = Tally)]
async fn sequenced(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.sequencer.count.get())
}

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(sequenced.connect_input(|v: u32| v), input).await
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub go: pipeline,
    }
}

fn main() {}
