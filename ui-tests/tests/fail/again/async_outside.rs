use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn planner(input: u32) -> u32 {
    input.step(one)
}

#[block(sequencer)]
async fn outside(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(again(planner), input).await
}

flow! {
    #[flow(kind = "again")]
    pub struct All {
        pub go: outside,
    }
}

fn main() {}
