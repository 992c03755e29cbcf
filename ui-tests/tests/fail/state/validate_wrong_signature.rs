use flowstate::prelude::*;

fn short(text: &u32) -> Result<(), String> {
    if *text < 10 { Ok(()) } else { Err("too long".to_string()) }
}

#[state]
pub struct Bag {
    #[state(validate = short)]
    pub name: String,
}

fn main() {}
