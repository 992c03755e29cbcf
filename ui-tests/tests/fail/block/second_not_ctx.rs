use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32, by: u32) -> Result<u32> {
    Ok(input + by)
}

fn main() {}
