use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

pub struct Note(String);

#[contract]
impl Profile {
    #[reducer]
    fn add_note(&mut self, note: Note) {
        self.notes.push(note.0);
    }
}

fn main() {}
