use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn too_much(v: &u32) -> String {
    format!("{v} is too much")
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.throw_if(|v| *v > 3, too_much).step(one)
}

fn main() {}
