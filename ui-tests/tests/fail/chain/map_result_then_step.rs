use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: String) -> u32 {
    input.map(|text| text.parse::<u32>()).step(one)
}

fn main() {}
