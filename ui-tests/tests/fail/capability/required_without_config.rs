use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(required = [key])]
pub struct SkillBook;

fn main() {}
