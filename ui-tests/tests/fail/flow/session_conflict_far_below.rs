//! What clashes is looked for once a block, not on each way to it: here there are three to the thirteenth.
use flowstate::prelude::*;

#[state]
pub struct Plain {
    pub name: String,
}

#[state]
pub struct Counted {
    pub name: u32,
}

#[block(handler, session = Plain)]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, session = Counted)]
async fn counted(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn level0(input: u32) -> u32 {
    input.step(plain).step(counted)
}

#[block(sequencer)]
fn level1(input: u32) -> u32 {
    input.step(level0).step(level0).step(level0)
}

#[block(sequencer)]
fn level2(input: u32) -> u32 {
    input.step(level1).step(level1).step(level1)
}

#[block(sequencer)]
fn level3(input: u32) -> u32 {
    input.step(level2).step(level2).step(level2)
}

#[block(sequencer)]
fn level4(input: u32) -> u32 {
    input.step(level3).step(level3).step(level3)
}

#[block(sequencer)]
fn level5(input: u32) -> u32 {
    input.step(level4).step(level4).step(level4)
}

#[block(sequencer)]
fn level6(input: u32) -> u32 {
    input.step(level5).step(level5).step(level5)
}

#[block(sequencer)]
fn level7(input: u32) -> u32 {
    input.step(level6).step(level6).step(level6)
}

#[block(sequencer)]
fn level8(input: u32) -> u32 {
    input.step(level7).step(level7).step(level7)
}

#[block(sequencer)]
fn level9(input: u32) -> u32 {
    input.step(level8).step(level8).step(level8)
}

#[block(sequencer)]
fn level10(input: u32) -> u32 {
    input.step(level9).step(level9).step(level9)
}

#[block(sequencer)]
fn level11(input: u32) -> u32 {
    input.step(level10).step(level10).step(level10)
}

#[block(sequencer)]
fn level12(input: u32) -> u32 {
    input.step(level11).step(level11).step(level11)
}

#[block(sequencer)]
fn level13(input: u32) -> u32 {
    input.step(level12).step(level12).step(level12)
}

flow! {
    #[flow(kind = "deep")]
    pub struct Deep {
        pub top: level13,
    }
}

fn main() {}
