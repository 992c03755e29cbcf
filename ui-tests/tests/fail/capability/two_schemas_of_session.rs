use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[state]
pub struct Flags {
    pub active: bool,
}

#[capability(session = Skills)]
pub struct SkillBook;

#[block(handler, session = Flags, uses = [SkillBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
