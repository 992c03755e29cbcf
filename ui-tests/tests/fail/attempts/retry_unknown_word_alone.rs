use flowstate::prelude::*;

// said once: `max` is what is meant
#[block(handler, retry(times = 3))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
