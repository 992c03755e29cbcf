use flowstate::prelude::*;

pub struct Order {
    pub id: u32,
}

#[block(handler)]
async fn plain(id: u32) -> Result<Vec<Order>> {
    Ok(vec![Order { id }])
}

fn main() {}
