use flowstate::prelude::*;

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: Vec<u32>) -> Vec<String> {
    input.for_each(takes_text)
}

fn main() {}
