use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(state = Skills)]
pub struct SkillBook<T>;

fn main() {}
