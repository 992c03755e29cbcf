use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, state = Tally, sate = u32)]
async fn broken(input: u32, ctx: Ctx) -> Result<u32> {
    helper(&ctx)
}

fn helper(ctx: &Ctx<'_, broken>) -> Result<u32> {
    ctx.self_.count.inc(1)?;
    Ok(1)
}

fn main() {}
