use flowstate::prelude::*;

pub struct Order {
    pub id: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: Order) -> u32 {
    input.map(|order| order.id).step(one)
}

fn main() {}
