use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn upper(text: String) -> String {
    text.to_uppercase()
}

#[block(sequencer)]
fn pipeline(input: u32) -> String {
    input.step(one).map(upper)
}

fn main() {}
