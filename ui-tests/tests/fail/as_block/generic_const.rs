use flowstate::block::AsBlock;
use flowstate::prelude::*;

#[derive(Clone, AsBlock)]
pub struct Repeat<const N: usize>;

fn main() {}
