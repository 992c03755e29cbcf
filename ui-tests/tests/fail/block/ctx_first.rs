use flowstate::prelude::*;

#[block(handler)]
async fn plain(ctx: Ctx, input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
