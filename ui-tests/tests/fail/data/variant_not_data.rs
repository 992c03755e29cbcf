use flowstate::prelude::*;

pub struct Foo;

#[data]
pub enum Page {
    Empty,
    Full(Vec<Foo>),
}

fn main() {}
