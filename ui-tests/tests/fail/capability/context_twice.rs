//! Two functions for one tag.
use flowstate::prelude::*;

#[capability(context(skills = Self::skills, skills = Self::skills))]
struct Skills;

#[capability]
impl Skills {
    fn skills(_: &Ctx) -> String {
        String::new()
    }
}

fn main() {}
