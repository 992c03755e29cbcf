use flowstate::prelude::*;

#[state]
fn bag() {}

fn main() {}
