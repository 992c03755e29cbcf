use flowstate::prelude::*;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step_any([])
}

fn main() {}
