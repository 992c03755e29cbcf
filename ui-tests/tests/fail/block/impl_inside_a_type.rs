use flowstate::prelude::*;

#[block(handler)]
async fn takes(input: Vec<impl Into<String>>) -> Result<usize> {
    Ok(input.len())
}

#[block(handler)]
async fn gives(input: u32) -> Result<Option<impl Sized>> {
    Ok(Some(input))
}

#[block(sequencer)]
fn both(input: u32) -> u32 {
    input.step(takes).step(gives)
}

fn main() {}
