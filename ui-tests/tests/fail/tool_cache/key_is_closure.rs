use flowstate::prelude::*;

#[block(handler, cacheable(key = |input| input + 1))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
