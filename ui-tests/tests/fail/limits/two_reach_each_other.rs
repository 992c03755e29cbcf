use flowstate::prelude::*;

#[block(sequencer)]
fn planner(input: u32) -> u32 {
    input.step(executor)
}

#[block(sequencer)]
fn executor(input: u32) -> u32 {
    input.exit_if(|v| *v == 0).step(planner)
}

fn main() {}
