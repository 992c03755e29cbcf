use flowstate::prelude::*;

#[block(sequencer)]
fn pipeline(input: Vec<u32>) -> Vec<u32> {
    input.for_each(|item| Each::One, blocks = [])
}

fn main() {}
