use flowstate::prelude::*;

#[derive(Clone, Debug, Default)]
pub struct Socket;

#[state]
pub struct Bag {
    pub socket: Socket,
}

fn main() {}
