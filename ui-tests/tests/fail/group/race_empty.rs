use flowstate::prelude::*;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.race([])
}

fn main() {}
