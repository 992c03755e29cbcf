use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(state = Skills)]
pub struct SkillBook;

#[capability(state = Skills)]
impl SkillBook {
    fn activate(ctx: &Ctx, id: String) -> Result<bool> {
        ctx.self_.active.push(id)
    }
}

#[block(handler, uses = [SkillBook])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    ctx.cap.skill_book.activate(input.clone())?;
    Ok(input)
}

fn main() {}
