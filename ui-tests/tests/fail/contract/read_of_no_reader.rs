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

#[block(handler, reads = [Profile(budget = 200)])]
async fn one(_: (), ctx: Ctx) -> Result<String> {
    ctx.reads.profile.assistant().await
}

fn main() {}
