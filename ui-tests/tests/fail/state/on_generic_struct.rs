use flowstate::prelude::*;

#[state]
pub struct Bag<T> {
    pub item: T,
}

fn main() {}
