use flowstate::prelude::*;

#[block(handler, timeout = Duration::from_secs(3))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
