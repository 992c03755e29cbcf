use flowstate::prelude::*;

#[block(handler)]
async fn broken(input: u32) {
    let _ = input;
}

#[block(sequencer)]
fn pipeline(input: u32) -> () {
    input.step(broken)
}

fn main() {}
