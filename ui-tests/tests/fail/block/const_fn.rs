use flowstate::prelude::*;

#[block(handler)]
const fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
