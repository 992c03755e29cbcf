use flowstate::prelude::*;

#[block(handler, timeout = "30s", timeout = "20s")]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
