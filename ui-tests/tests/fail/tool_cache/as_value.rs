use flowstate::prelude::*;

#[block(handler, cacheable = "5m")]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
