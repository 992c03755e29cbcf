use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] by: u32) -> Result<u32> {
    Ok(input * by)
}

fn main() {
    let _ = flowstate::run(scale, 2);
}
