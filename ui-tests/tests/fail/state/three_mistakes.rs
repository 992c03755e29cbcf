use flowstate::prelude::*;

#[state(keey = "bag")]
pub struct Bag<T> {
    #[state(defualt = 1)]
    pub count: T,
}

fn main() {}
