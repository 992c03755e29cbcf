use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input * 2)
}

pub struct Once(u32);

#[block(sequencer)]
fn pipeline(input: u32) -> Vec<u32> {
    input.map(|v| Once(v)).step_all([(|v| v.0, one), (|v| v.0, two)])
}

fn main() {}
