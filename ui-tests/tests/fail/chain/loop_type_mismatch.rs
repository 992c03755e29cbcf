use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn shown(input: u32) -> Result<String> {
    Ok(input.to_string())
}

#[block(sequencer)]
fn pipeline(input: u32) -> String {
    input.step(one).step(shown).loop_back(one, max_iterations = 3)
}

fn main() {}
