use flowstate::prelude::*;

#[block(sequencer)]
fn planner(input: u32) -> u32 {
    input.step(planner)
}

fn main() {}
