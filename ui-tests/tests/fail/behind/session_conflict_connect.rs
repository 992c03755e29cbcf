use flowstate::prelude::*;

#[state]
pub struct Talk {
    pub topic: u32,
}

#[state]
pub struct Chat {
    pub topic: String,
}

#[block(handler, session = Talk)]
async fn talks(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.session.topic.get())
}

#[block(handler, session = Chat)]
async fn other(_: u32, ctx: Ctx) -> Result<u32> {
    Ok(ctx.session.topic.get().len() as u32)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(talks.connect_input(|v: u32| v)).step(other.connect_input(|v: u32| v))
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub go: pipeline,
    }
}

fn main() {}
