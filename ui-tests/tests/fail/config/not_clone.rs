use flowstate::prelude::*;

struct Scale(u32);

#[block(handler)]
async fn scale(input: u32, #[config] by: Scale) -> Result<u32> {
    Ok(input * by.0)
}

fn main() {}
