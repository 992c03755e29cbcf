use flowstate::prelude::*;

#[block(handler)]
extern "C" fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
