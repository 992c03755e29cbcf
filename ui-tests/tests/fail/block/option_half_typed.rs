use flowstate::prelude::*;

#[block(handler, state = )]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
