use flowstate::prelude::*;

pub struct Helper;

#[block(handler)]
async fn zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

fn checked(
    block: impl IntoBlock<Block: Block<Input = u32, Output = u32>>,
) -> impl Block<Input = u32, Output = u32> {
    block.rescue::<Error>(zero)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(checked(Helper))
}

fn main() {}
