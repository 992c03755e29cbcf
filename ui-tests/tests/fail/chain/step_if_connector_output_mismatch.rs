use flowstate::prelude::*;

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step_if(|v| *v > 1, |v| v.to_string(), takes_text)
}

fn main() {}
