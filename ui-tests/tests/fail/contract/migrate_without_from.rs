use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub tone: String,
}

#[contract(version = 2)]
impl Profile {
    #[migrate(1)]
    fn first(stored: flowstate::contract::Json) -> flowstate::contract::Json {
        stored
    }
}

fn main() {}
