use flowstate::prelude::*;

#[data]
fn plain() {}

fn main() {}
