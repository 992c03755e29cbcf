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

/// Finds it.
#[block(handler, feeds = [Profile::add_notes(|found: &String| found.clone())])]
async fn find(what: String) -> Result<String> {
    Ok(what)
}

#[block(generator, model = "intent/chat", writes = [Profile], tools = [find])]
async fn agent(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Find it.").user(question))
}

fn main() {}
