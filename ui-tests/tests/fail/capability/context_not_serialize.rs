//! What a tag is to say cannot be written.
use flowstate::prelude::*;

struct Skill;

#[capability(context(skills = Self::skills))]
struct Skills;

#[capability]
impl Skills {
    fn skills(_: &Ctx) -> Skill {
        Skill
    }
}

fn main() {}
