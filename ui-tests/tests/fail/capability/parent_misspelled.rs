use flowstate::prelude::*;

#[state]
pub struct Note {
    pub text: String,
}

#[capability(parnet = Note)]
pub struct Notes;

fn main() {}
