use flowstate::prelude::*;

#[state]
pub struct Bag {
    #[state(defualt = 3)]
    pub count: u32,
}

fn main() {}
