use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.needs.pool.size)
}

fn main() {}
