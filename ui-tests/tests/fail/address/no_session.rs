use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.session.count.inc(1).await?;
    Ok(input)
}

fn main() {}
