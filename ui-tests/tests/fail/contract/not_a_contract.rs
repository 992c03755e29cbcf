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

#[state]
pub struct Plain {
    pub count: u32,
}

#[block(handler, reads = [Plain::text(budget = 10)], writes = [Plain])]
async fn one(_: (), ctx: Ctx) -> Result<String> {
    ctx.writes.plain.count(1).await?;
    ctx.reads.plain.text().await
}

fn main() {}
