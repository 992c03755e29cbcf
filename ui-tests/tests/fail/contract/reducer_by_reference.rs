use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

#[contract]
impl Profile {
    #[reader]
    fn assistant(&self) -> String {
        self.notes.join(" ")
    }

    #[reducer]
    fn add_note(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }
}

#[block(handler, reads = [Profile::assistant(budget = 10)], writes = [Profile])]
async fn one(note: String, ctx: Ctx) -> Result<String> {
    ctx.writes.profile.add_note(note).await?;
    ctx.reads.profile.assistant().await
}

fn main() {}
