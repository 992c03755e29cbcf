use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> String {
    input.step(one).exit_if(|v| *v > 1).map(|v| v.to_string())
}

fn main() {}
