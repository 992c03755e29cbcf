use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one).rescue::<Error>(zero).rescue::<std::io::Error>(zero)
}

fn main() {}
