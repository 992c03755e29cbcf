use flowstate::prelude::*;

#[derive(Clone, Debug)]
pub struct Foo;

#[data]
pub struct Page {
    pub count: u32,
    pub last: Foo,
}

fn main() {}
