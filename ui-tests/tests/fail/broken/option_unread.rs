use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parnt = Tally)]
async fn broken(input: u32, ctx: Ctx) -> Result<u32> {
    helper(&ctx)
}

fn helper(ctx: &Ctx<'_, broken>) -> Result<u32> {
    Ok(ctx.parent.count.get())
}

fn main() {}
