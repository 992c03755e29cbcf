use flowstate::prelude::*;

#[state]
pub struct Bag {
    #[state(validate = short)]
    pub name: String,
}

fn main() {}
