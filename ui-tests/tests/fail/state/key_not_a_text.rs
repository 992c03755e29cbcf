use flowstate::prelude::*;

#[state(key = bag)]
pub struct Bag {
    pub count: u32,
}

fn main() {}
