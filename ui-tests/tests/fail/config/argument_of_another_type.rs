use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] by: u32) -> Result<u32> {
    Ok(input * by)
}

#[block(sequencer)]
fn twice(input: u32) -> u32 {
    input.step(scale("2"))
}

fn main() {}
