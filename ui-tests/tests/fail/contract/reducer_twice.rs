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

    #[reducer]
    fn add_note(&mut self, note: String) {
        self.notes.insert(0, note);
    }
}

#[block(handler, writes = [Profile])]
async fn one(note: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.add_note(note).await
}

fn main() {}
