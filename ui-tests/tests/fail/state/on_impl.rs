use flowstate::prelude::*;

pub struct Bag {
    pub count: u32,
}

#[state]
impl Bag {}

fn main() {}
