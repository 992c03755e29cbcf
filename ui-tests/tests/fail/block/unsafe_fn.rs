use flowstate::prelude::*;

#[block(handler)]
unsafe fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
