use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

#[contract(version = 2)]
impl Profile {
    #[migrate(from = 1)]
    fn listed(&mut self) {
        self.notes.clear();
    }
}

fn main() {}
