use flowstate::block::AsBlock;

#[derive(Clone, AsBlock)]
pub struct Repeat<T> {
    value: T,
}

fn main() {}
