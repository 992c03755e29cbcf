use flowstate::prelude::*;

#[state]
pub struct Bag {
    pub shared: std::cell::RefCell<u32>,
}

fn main() {}
