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

#[capability(uses = [SkillBook])]
pub struct Trainer;

#[block(handler, uses = [Trainer])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    ctx.self_.active.push(input.clone())?;
    Ok(input)
}

fn main() {}
