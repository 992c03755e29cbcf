use flowstate::prelude::*;

fn helper(v: u32) -> u32 {
    v + 1
}

#[block(handler)]
async fn zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(helper.rescue::<Error>(zero))
}

fn main() {}
