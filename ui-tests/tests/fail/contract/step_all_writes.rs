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

    #[reader]
    fn assistant(&self) -> String {
        self.notes.join(" ")
    }

    #[reader]
    fn researcher(&self) -> String {
        self.notes.len().to_string()
    }
}

#[block(handler, writes = [Profile])]
async fn one(note: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.add_note(note).await
}

#[block(handler, reads = [Profile::assistant(budget = 10)], writes = [Profile])]
async fn two(note: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.add_note(note).await
}

#[block(sequencer)]
fn both(input: String) -> Vec<bool> {
    input.step_all([one, two])
}

fn main() {}
