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

#[block(handler, parent = Skills)]
async fn child(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer, uses = [SkillBook])]
fn school(input: String) -> String {
    input.step(child).tap(|_, ctx| ctx.cap.skill_book.activate("own".into()).map(|_| ()))
}

#[block(sequencer, uses = [SkillBook])]
async fn written(input: String, ctx: Ctx) -> Result<String> {
    ctx.cap.skill_book.activate(input.clone())?;
    ctx.step(child, input).await
}

fn main() {}
