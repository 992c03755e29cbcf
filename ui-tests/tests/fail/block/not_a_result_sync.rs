use flowstate::prelude::*;

#[block(handler)]
fn plain(input: u32) -> u32 {
    input
}

fn main() {}
