use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn length(text: String) -> u32 {
    text.len() as u32
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one.connect_input(length))
}

fn main() {}
