use flowstate::prelude::*;

#[block(handler, retry(max = 3, max = 4))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
