use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> (u32, String) {
    input.parallel((one, (|v| v + 1, takes_text)))
}

fn main() {}
