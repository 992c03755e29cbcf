use flowstate::prelude::*;

pub struct Order {
    pub id: u32,
}

#[block(handler)]
async fn plain(id: u32) -> Result<Order> {
    Ok(Order { id })
}

fn main() {}
