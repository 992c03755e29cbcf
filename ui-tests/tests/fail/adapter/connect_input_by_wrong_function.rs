use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn text(v: u32) -> String {
    v.to_string()
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one.connect_input(text))
}

fn main() {}
