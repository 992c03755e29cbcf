use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn named(block: impl Block) -> &'static str {
    let _ = block;
    "a block"
}

fn all() -> &'static str {
    named(one)
}

fn main() {}
