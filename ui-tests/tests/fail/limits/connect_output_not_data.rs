use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

pub struct Once(u32);

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one.connect_output(|v| Once(v))).map(|v| v.0)
}

fn main() {}
