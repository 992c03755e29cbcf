use flowstate::block::AsBlock;
use flowstate::prelude::*;

#[derive(Clone, AsBlock)]
pub struct Repeat;

fn main() {}
