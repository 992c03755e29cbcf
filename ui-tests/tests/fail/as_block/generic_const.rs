use flowstate::block::AsBlock;

#[derive(Clone, AsBlock)]
pub struct Repeat<const N: usize>;

fn main() {}
