use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config(default = 2)] by: u32) -> Result<u32> {
    Ok(input * by)
}

fn main() {}
