use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn broken(input: u32) -> u32 {
    input.setp(one)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(broken)
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub pipeline: pipeline,
    }
}

fn main() {}
