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

#[capability(state = Flags)]
pub struct FlagBook;

#[block(handler, uses = [SkillBook, FlagBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
