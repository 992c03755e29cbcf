use flowstate::prelude::*;

#[block(sequencer)]
fn planner(input: u32) -> u32 {
    input.map(|v| v.to_string()).step(again(planner))
}

fn main() {}
