use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(state = Skills)]
pub struct SkillBook;

pub trait Tools {
    fn activate(id: String) -> bool;
}

#[capability]
impl Tools for SkillBook {
    fn activate(id: String) -> bool {
        id.is_empty()
    }
}

#[block(handler, uses = [SkillBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
