use flowstate::prelude::*;

#[block(handler, cacheable(ttl = 300))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
