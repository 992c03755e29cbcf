use flowstate::prelude::*;

#[block(handler, cacheable(ttl = "5m", ttl = "6m"))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
