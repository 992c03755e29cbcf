use flowstate::block::AsBlock;
use flowstate::prelude::*;

#[derive(Clone, AsBlock)]
pub struct Repeat<'a> {
    text: &'a str,
}

fn main() {}
