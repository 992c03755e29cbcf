use flowstate::prelude::*;

pub struct Failed;

#[block(handler)]
async fn plain(input: u32) -> Result<u32, Failed> {
    if input > 1 { Err(Failed) } else { Ok(input) }
}

fn main() {}
