use flowstate::prelude::*;

#[block(handler)]
mod agent {}

fn main() {}
