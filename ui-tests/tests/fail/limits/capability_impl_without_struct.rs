use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

pub struct SkillBook;

#[capability]
impl SkillBook {
    fn activate(ctx: &Ctx, id: String) -> Result<bool> {
        Ok(true)
    }
}

fn main() {}
