use flowstate::prelude::*;

#[block(handler, sate = u32, name = 3)]
async fn plain(input: u32, by: u32) -> Result<u32> {
    Ok(input + by)
}

fn main() {}
