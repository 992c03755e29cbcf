use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

pub struct Token;

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.map(|_| Token).tap(|_| 1, one).map(|_| 1)
}

fn main() {}
