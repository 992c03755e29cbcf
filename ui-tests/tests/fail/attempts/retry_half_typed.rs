use flowstate::prelude::*;

#[block(handler, retry(max))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
