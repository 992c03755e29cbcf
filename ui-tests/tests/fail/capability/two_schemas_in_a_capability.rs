use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[state]
pub struct Flags {
    pub active: bool,
}

#[capability(state = Skills)]
pub struct SkillBook;

#[capability(state = Flags, uses = [SkillBook])]
pub struct Trainer;

fn main() {}
