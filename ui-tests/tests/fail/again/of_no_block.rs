use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer)]
fn planner(input: u32) -> u32 {
    input.step(again(Helper))
}

fn main() {}
