use flowstate::prelude::*;

#[block(handler)]
async fn broken(input: u32) -> impl Sized {
    input
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(broken)
}

fn main() {}
