use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.do_until(Helper, |v| *v > 3)
}

fn main() {}
