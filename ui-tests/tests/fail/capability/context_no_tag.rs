//! A name that makes no tag.
use flowstate::prelude::*;

#[capability(context(_skills = Self::skills))]
struct Skills;

#[capability]
impl Skills {
    fn skills(_: &Ctx) -> String {
        String::new()
    }
}

fn main() {}
