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

#[block(handler, writes = [Profile], cacheable(ttl = "5m"))]
async fn note(input: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.add_note(input).await
}

fn main() {}
