use flowstate::prelude::*;

#[block(sequencer)]
fn pipeline(input: u32) -> Vec<u32> {
    input.step_all()
}

fn main() {}
