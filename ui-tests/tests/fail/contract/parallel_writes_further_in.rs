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
fn deep(input: String) -> bool {
    input.step(two)
}

#[block(handler)]
async fn fallback(_: Rescued) -> Result<bool> {
    Ok(false)
}

#[data]
pub struct Both {
    a: bool,
    b: bool,
}

#[block(sequencer)]
fn both(input: String) -> Both {
    input.parallel(Both { a: one.rescue::<Error>(fallback), b: deep })
}

fn main() {}
