use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] (by, of): (u32, u32)) -> Result<u32> {
    Ok(input * by / of)
}

fn main() {}
