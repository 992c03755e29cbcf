use flowstate::prelude::*;

#[block(handler)]
pub enum Agent {
    One,
}

fn main() {}
