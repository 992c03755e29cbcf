// said of the capability, and not again of the blocks that use it
use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: String,
}

#[state]
pub struct OtherNote {
    pub note: u32,
}

#[capability(state = Note)]
pub struct Inner;

#[capability(state = OtherNote, uses = [Inner])]
pub struct Outer;

#[block(handler, uses = [Outer])]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, uses = [Inner, Outer])]
async fn two(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
