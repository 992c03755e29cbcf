//! The function of a tag is not there.
use flowstate::prelude::*;

#[capability(context(skills = Self::skils))]
struct Skills;

#[capability]
impl Skills {
    fn skills(_: &Ctx) -> String {
        String::new()
    }
}

fn main() {}
