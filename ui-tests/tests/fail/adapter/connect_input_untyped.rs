use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: String) -> u32 {
    input.step(one.connect_input(|v| v.len() as u32))
}

fn main() {}
