use flowstate::prelude::*;

#[block(handler)]
async fn shown(input: u32) -> Result<String> {
    Ok(input.to_string())
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step_if(|v| *v > 1, shown)
}

fn main() {}
