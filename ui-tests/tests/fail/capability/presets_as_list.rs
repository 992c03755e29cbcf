use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(state = Skills, config = Config, presets = [strict])]
pub struct SkillBook;

fn main() {}
