use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(state = Skills)]
pub struct SkillBook;

#[capability]
impl SkillBook {
    fn activate(ctx: &Ctx, id: String) -> Result<bool> {
        ctx.self_.active.push(id)
    }
}

#[block(handler, uses = [SkillBook])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    ctx.cap.skill_book.activate(input.clone(), 3)?;
    Ok(input)
}

fn main() {}
