use flowstate::block::AsBlock;
use flowstate::prelude::*;

#[derive(Clone, AsBlock)]
pub struct Repeat<T> {
    value: T,
}

fn main() {}
