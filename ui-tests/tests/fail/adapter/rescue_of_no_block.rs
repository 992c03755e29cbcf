use flowstate::prelude::*;

pub struct Helper;

#[block(handler)]
async fn zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(Helper.rescue::<Error>(zero))
}

fn main() {}
