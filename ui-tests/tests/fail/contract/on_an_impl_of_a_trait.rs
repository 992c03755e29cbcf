use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

#[contract]
impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.notes == other.notes
    }
}

fn main() {}
