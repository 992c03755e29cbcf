use flowstate::prelude::*;

pub struct Agent;

#[block(handler)]
impl Agent {}

fn main() {}
