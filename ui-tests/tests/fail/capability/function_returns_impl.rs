//! What a function returns may borrow from its context, and does not say so.
use flowstate::prelude::*;

#[capability]
struct Skills;

#[capability]
impl Skills {
    fn all(_: &Ctx) -> impl Iterator<Item = u8> {
        [1, 2].into_iter()
    }
}

fn main() {}
