use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32) -> u32 {
    input
}

fn main() {}
