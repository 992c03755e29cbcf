use flowstate::prelude::*;

#[block(handler, sate = u32)]
async fn broken(input: u32, ctx: Ctx) -> Result<u32> {
    helper(&ctx)
}

fn helper(ctx: &Ctx<'_, broken>) -> Result<u32> {
    Ok(ctx.path().len() as u32)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(broken).tap(broken).step_if(|v| *v > 1, broken)
}

#[block(sequencer)]
async fn by_hand(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(broken, input).await
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub broken: broken,
        pub pipeline: pipeline,
        pub by_hand: by_hand,
    }
}

fn main() {
    drop(flowstate::run(broken, 1));
    drop(flowstate::test(broken).run(1));
}
