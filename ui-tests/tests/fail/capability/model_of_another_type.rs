//! A model is named by a text.
use flowstate::prelude::*;

#[capability(model = Self::model)]
struct Asking;

#[capability]
impl Asking {
    fn model(_: &Ctx) -> u32 {
        5
    }
}

fn main() {}
