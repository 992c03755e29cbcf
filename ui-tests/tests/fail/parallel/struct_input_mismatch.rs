use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[data]
pub struct Both {
    left: u32,
    right: String,
}

#[block(sequencer)]
fn pipeline(input: u32) -> Both {
    input.parallel(Both { left: one, right: takes_text })
}

fn main() {}
