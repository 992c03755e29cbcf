use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: String) -> u32 {
    input.step(|text| text.len() as u32, one).loop_back(one, max_iterations = 3)
}

fn main() {}
