use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(presets(strict = on(strict)))]
pub struct SkillBook;

fn main() {}
