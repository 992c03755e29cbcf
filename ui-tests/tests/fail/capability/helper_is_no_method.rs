use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(state = Skills)]
pub struct SkillBook;

#[capability]
impl SkillBook {
    fn full(n: usize) -> bool {
        n > 3
    }
}

#[block(handler, uses = [SkillBook])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    ctx.cap.skill_book.full(3);
    Ok(input)
}

fn main() {}
