use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32) -> Result<u32> {
    Ok(input + missing)
}

fn main() {}
