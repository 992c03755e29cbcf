use flowstate::prelude::*;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.do_until(|v| v + 1, |v| *v > 3)
}

fn main() {}
