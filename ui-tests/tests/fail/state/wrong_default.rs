use flowstate::prelude::*;

#[state]
pub struct Bag {
    #[state(default = "three")]
    pub count: u32,
}

fn main() {}
