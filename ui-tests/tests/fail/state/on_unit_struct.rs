use flowstate::prelude::*;

#[state]
pub struct Bag;

fn main() {}
