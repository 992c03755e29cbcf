use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32) -> Result<u32, u32> {
    Err(input)
}

fn main() {}
