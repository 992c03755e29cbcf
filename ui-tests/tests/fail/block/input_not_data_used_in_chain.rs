use flowstate::prelude::*;

pub struct Order {
    pub id: u32,
}

#[block(handler)]
async fn make(id: u32) -> Result<u32> {
    Ok(id)
}

#[block(handler)]
async fn plain(input: Order) -> Result<u32> {
    Ok(input.id)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(make).step(|id| Order { id }, plain)
}

fn main() {}
