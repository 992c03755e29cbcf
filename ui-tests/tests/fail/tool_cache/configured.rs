use flowstate::prelude::*;

#[block(handler, cacheable(ttl = "5m"))]
async fn fetch(input: u32, #[config] factor: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
