use flowstate::prelude::*;

#[state]
pub struct Bag<'a> {
    pub item: &'a str,
}

fn main() {}
