use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input * 2)
}

fn long(text: &String) -> bool {
    text.len() > 10
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.branch((long, one), two)
}

fn main() {}
