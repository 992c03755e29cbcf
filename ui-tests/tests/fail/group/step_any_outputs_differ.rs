use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn shout(input: u32) -> Result<String> {
    Ok(input.to_string())
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step_any([one, shout])
}

fn main() {}
