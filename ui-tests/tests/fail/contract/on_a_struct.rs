use flowstate::prelude::*;

#[contract]
#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

fn main() {}
