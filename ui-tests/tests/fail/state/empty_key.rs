use flowstate::prelude::*;

#[state(key = "")]
pub struct Bag {
    pub count: u32,
}

fn main() {}
