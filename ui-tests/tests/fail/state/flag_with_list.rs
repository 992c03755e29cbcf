use flowstate::prelude::*;

#[state]
pub struct Bag {
    #[state(transient(true))]
    pub count: u32,
}

fn main() {}
