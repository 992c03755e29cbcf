use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(targets(top = Skills, top = Skills))]
pub struct SkillBook;

fn main() {}
