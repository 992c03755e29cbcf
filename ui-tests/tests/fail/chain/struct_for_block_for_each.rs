use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer)]
fn pipeline(input: Vec<u32>) -> Vec<u32> {
    input.for_each(Helper)
}

fn main() {}
