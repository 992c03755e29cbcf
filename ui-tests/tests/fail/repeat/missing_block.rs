use flowstate::prelude::*;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.do_until(|v| *v > 3)
}

fn main() {}
