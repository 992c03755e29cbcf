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
        let _all = &self.notes.;
    }

    #[reader]
    fn assistant(&self) -> String {
        self.notes.join(" ")
    }
}

#[block(handler, reads = [Profile::assistant(budget = 10)], writes = [Profile])]
async fn one(note: String, ctx: Ctx) -> Result<String> {
    ctx.writes.profile.add_note(note).await?;
    ctx.reads.profile.assistant().await
}

fn main() {}
