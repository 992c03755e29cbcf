use flowstate::prelude::*;

#[block(handler, cacheable)]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
