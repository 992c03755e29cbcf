use flowstate::prelude::*;

#[block(handler, needs(price = u32, price = u64))]
async fn add(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + *ctx.needs.price)
}

fn main() {}
