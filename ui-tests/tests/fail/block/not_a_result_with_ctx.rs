use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32, ctx: Ctx) -> Option<u32> {
    let _ = ctx.path();
    Some(input)
}

fn main() {}
