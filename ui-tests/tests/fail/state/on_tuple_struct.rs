use flowstate::prelude::*;

#[state]
pub struct Bag(pub u32);

fn main() {}
