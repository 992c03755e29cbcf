use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[state]
pub struct Tally {
    pub count: u32,
}

fn helper(ctx: &Ctx<'_, counter>) -> u32 {
    ctx.self_.count.get()
}

#[block(handler, state = Tally)]
async fn counter(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.self_.count.get())
}

#[block(handler, state = Tally)]
async fn other(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + helper(&ctx))
}

fn main() {}
