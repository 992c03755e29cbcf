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
    fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }
}

#[contract]
impl Profile {
    #[reducer]
    fn clear(&mut self) {
        self.notes.clear();
    }
}

fn main() {}
