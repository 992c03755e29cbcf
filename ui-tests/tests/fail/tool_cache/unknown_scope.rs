use flowstate::prelude::*;

#[block(handler, cacheable(scope = sesion))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
