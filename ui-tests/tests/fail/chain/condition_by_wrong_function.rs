use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn long(text: &String) -> bool {
    text.len() > 1
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step_if(long, one)
}

fn main() {}
