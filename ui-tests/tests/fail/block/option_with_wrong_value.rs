use flowstate::prelude::*;

#[block(handler, name = plain)]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
