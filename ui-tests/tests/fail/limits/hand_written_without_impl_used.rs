use flowstate::block::AsBlock;
use flowstate::prelude::*;

#[derive(Clone, Copy, Default, AsBlock)]
pub struct Repeat;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(Repeat)
}

fn main() {}
