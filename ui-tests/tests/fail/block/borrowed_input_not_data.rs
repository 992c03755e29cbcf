use flowstate::prelude::*;

pub struct Order {
    pub id: u32,
}

#[block(handler)]
async fn plain(input: &Order) -> Result<u32> {
    Ok(input.id)
}

fn main() {}
