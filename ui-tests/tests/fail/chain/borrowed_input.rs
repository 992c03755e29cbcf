use flowstate::prelude::*;

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: &str) -> String {
    input.step(takes_text)
}

fn main() {}
