use flowstate::prelude::*;

pub struct Order {
    pub id: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> Order {
    input.step(one).map(|id| Order { id })
}

fn main() {}
