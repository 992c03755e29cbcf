use flowstate::prelude::*;

#[block(handler)]
pub struct Agent;

fn main() {}
