use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(Helper.connect_output(|v: u32| v))
}

fn main() {}
