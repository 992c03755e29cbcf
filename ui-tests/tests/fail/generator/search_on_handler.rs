use flowstate::prelude::*;

#[block(handler, search(depth = low))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
