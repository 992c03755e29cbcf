use flowstate::prelude::*;

fn short(text: &String) -> bool {
    text.len() < 10
}

#[state]
pub struct Bag {
    #[state(validate = short)]
    pub name: String,
}

fn main() {}
