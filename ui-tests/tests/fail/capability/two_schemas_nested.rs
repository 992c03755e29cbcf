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

#[capability(uses = [SkillBook])]
pub struct Trainer;

#[capability(state = Flags)]
pub struct FlagBook;

#[block(handler, uses = [Trainer, FlagBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
