use flowstate::prelude::*;

pub struct Pool;

#[block(handler, needs = [Pool, Pool])]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
