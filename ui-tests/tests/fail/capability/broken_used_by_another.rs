use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(sate = Skills)]
pub struct SkillBook;

#[capability]
impl SkillBook {
    fn activate(ctx: &Ctx, id: String) -> Result<bool> {
        ctx.self_.active.push(id)
    }
}

#[capability(uses = [SkillBook])]
pub struct Trainer;

#[capability]
impl Trainer {
    fn train(ctx: &Ctx, id: String) -> Result<bool> {
        ctx.cap.skill_book.activate(id)
    }
}

#[block(handler, uses = [Trainer])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    ctx.cap.trainer.train(input.clone())?;
    Ok(input)
}

fn main() {}
