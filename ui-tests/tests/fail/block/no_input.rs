use flowstate::prelude::*;

#[block(handler)]
async fn plain() -> Result<u32> {
    Ok(1)
}

fn main() {}
