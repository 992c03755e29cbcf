use flowstate::prelude::*;

#[state(keey = "bag")]
pub struct Bag {
    pub count: u32,
}

fn main() {}
