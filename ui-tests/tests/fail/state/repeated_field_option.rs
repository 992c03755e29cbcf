use flowstate::prelude::*;

#[state]
pub struct Bag {
    #[state(default = 1, default = 2)]
    pub count: u32,
}

fn main() {}
