use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

#[contract]
impl Profile {
    #[reducer]
    fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }
}

#[block(handler, writes = [Profile])]
async fn one(note: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.add_note(note).await
}

#[block(handler, writes = [Profile])]
async fn two(note: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.add_note(note).await
}

#[block(sequencer)]
async fn both(input: String, ctx: Ctx) -> Result<bool> {
    let (a, b) = ctx.parallel((one, two), input.clone()).await?;
    Ok(a && b && ctx.step(one, input).await?)
}

fn main() {}
