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

#[capability(session = Profile)]
pub struct Memory;

#[block(handler, uses = [Memory])]
async fn one(_: (), ctx: Ctx) -> Result<Vec<String>> {
    Ok(ctx.session.notes.get())
}

fn main() {}
