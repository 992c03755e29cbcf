use flowstate::prelude::*;

#[data]
pub enum Level {
    Low,
    High,
}

#[state]
pub struct Bag {
    pub level: Level,
}

fn main() {}
