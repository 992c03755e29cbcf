use flowstate::prelude::*;

#[block(handler, timeout = "30sec")]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
