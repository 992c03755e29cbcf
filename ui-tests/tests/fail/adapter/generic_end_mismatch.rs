use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

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
fn pipeline(input: u32) -> String {
    input.step(checked(one))
}

fn main() {}
