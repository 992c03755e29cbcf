use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] by: &mut u32) -> Result<u32> {
    Ok(input * *by)
}

fn main() {}
