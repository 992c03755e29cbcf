use flowstate::prelude::*;

#[block(handler, visibility(client = ))]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

fn main() {}
