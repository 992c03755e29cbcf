use flowstate::prelude::*;

#[state]
pub enum Bag {
    Full,
    Empty,
}

fn main() {}
