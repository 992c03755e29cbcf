use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32) {
    let _ = input;
}

fn main() {}
