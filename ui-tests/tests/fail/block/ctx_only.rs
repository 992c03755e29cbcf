use flowstate::prelude::*;

#[block(handler)]
async fn plain(ctx: Ctx) -> Result<String> {
    Ok(ctx.path())
}

fn main() {}
