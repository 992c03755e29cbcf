use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(state = Skills)]
pub struct SkillBook;

#[capability]
impl<T> SkillBook {
    fn activate(ctx: &Ctx, id: T) -> Result<bool> {
        Ok(true)
    }
}

#[block(handler, uses = [SkillBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
