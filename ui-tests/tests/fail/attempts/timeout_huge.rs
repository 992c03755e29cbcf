use flowstate::prelude::*;

#[block(handler, timeout = "99999999999999999h")]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
