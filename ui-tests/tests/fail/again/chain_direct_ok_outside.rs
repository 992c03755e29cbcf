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
fn outside(input: u32) -> u32 {
    input.step(again(planner))
}

flow! {
    #[flow(kind = "again")]
    pub struct All {
        pub go: outside,
    }
}

fn main() {}
