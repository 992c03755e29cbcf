use flowstate::prelude::*;

#[block(handler, transient = true)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

fn main() {}
