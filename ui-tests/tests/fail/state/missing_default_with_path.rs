use flowstate::prelude::*;

mod levels {
    use flowstate::prelude::*;
    #[data]
    pub enum Level {
        Low,
        High,
    }
}

#[state]
pub struct Bag {
    pub level: levels::Level,
    pub count: u32,
}

fn main() {}
