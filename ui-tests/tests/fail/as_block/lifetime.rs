use flowstate::block::AsBlock;

#[derive(Clone, AsBlock)]
pub struct Repeat<'a> {
    text: &'a str,
}

fn main() {}
