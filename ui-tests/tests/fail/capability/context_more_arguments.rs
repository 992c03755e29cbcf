//! The function of a tag takes the context and nothing else.
use flowstate::prelude::*;

#[capability(context(skills = Self::skills))]
struct Skills;

#[capability]
impl Skills {
    fn skills(_: &Ctx, most: usize) -> String {
        most.to_string()
    }
}

fn main() {}
