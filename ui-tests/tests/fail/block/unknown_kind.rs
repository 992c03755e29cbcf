use flowstate::prelude::*;

#[block(handlr)]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
