use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

#[contract]
impl Profile {
    #[reducer]
    fn add(&mut self, note: String, ctx: Ctx) {
        ctx.message(&note);
        self.notes.push(note);
    }

    #[reader]
    fn all(&self, ctx: &Ctx) -> String {
        self.notes.join(ctx.block())
    }

    #[validate]
    fn check(&self, ctx: &Ctx<'_, note>) -> Result<(), String> {
        Ok(())
    }
}

#[block(handler, writes = [Profile], reads = [Profile::all(budget = 20)])]
async fn note(input: String, ctx: Ctx) -> Result<String> {
    ctx.writes.profile.add(input).await?;
    ctx.reads.profile.all().await
}

fn main() {}
