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

    #[cfg(any())]
    #[validate]
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

fn main() {}
