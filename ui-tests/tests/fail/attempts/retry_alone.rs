use flowstate::prelude::*;

#[block(handler, retry)]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
