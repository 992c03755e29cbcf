use flowstate::prelude::*;

#[block(sequencer)]
fn pipeline(input: u32) -> (u32, u32) {
    input.parallel()
}

fn main() {}
