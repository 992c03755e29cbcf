#![deny(deprecated)]

use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

#[contract]
impl Profile {
    #[deprecated(note = "use `add_note`")]
    #[reducer]
    fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}

#[block(handler, writes = [Profile])]
async fn one(note: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.note(note).await
}

fn main() {}
