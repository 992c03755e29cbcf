use flowstate::prelude::*;

#[block(handler, timout = "3s")]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
