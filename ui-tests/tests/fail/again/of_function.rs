use flowstate::prelude::*;

fn helper(v: u32) -> u32 {
    v + 1
}

#[block(sequencer)]
fn planner(input: u32) -> u32 {
    input.step(again(helper))
}

fn main() {}
