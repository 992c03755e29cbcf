use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, sequencer = Tally)]
async fn sequenced(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.sequencer.count.get())
}

#[block(handler)]
async fn zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(sequenced.connect_input(|v: u32| v).rescue::<Error>(zero))
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub go: pipeline,
    }
}

fn main() {}
