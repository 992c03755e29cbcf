use flowstate::prelude::*;

#[block(handler)]
async fn add(one: u32, other: u32, ctx: Ctx) -> Result<u32> {
    Ok(one + other)
}

fn main() {}
