use flowstate::prelude::*;

#[state(key = "bag", key = "sack")]
pub struct Bag {
    pub count: u32,
}

fn main() {}
