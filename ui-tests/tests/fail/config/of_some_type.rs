use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] by: impl Fn(u32) -> u32) -> Result<u32> {
    Ok(by(input))
}

fn main() {}
