use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32) -> impl Sized {
    input
}

fn main() {}
