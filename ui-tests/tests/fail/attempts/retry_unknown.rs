use flowstate::prelude::*;

#[block(handler, retry(max = 3, delay = "1s"))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
