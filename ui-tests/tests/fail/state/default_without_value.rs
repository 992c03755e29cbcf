use flowstate::prelude::*;

#[state]
pub struct Bag {
    #[state(default)]
    pub count: u32,
}

fn main() {}
