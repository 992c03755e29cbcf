use flowstate::prelude::*;

#[data(krate = flowstate)]
pub struct Order {
    pub id: u32,
}

fn main() {}
