use flowstate::prelude::*;

#[block(sequencer)]
fn planner(input: u32) -> u32 {
    input.step(planner.connect_input(|v: u32| v - 1))
}

fn main() {}
