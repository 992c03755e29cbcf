use flowstate::prelude::*;

fn helper(v: u32) -> u32 {
    v + 1
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(helper.connect_input(|v: u32| v))
}

fn main() {}
