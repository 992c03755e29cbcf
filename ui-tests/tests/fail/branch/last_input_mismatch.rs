use flowstate::prelude::*;

#[block(handler)]
async fn shout(input: u32) -> Result<String> {
    Ok(input.to_string())
}

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> String {
    input.branch((|v| *v > 1, shout), takes_text)
}

fn main() {}
