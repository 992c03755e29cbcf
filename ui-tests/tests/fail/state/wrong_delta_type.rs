use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, state = Tally)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.count.inc(-1)?;
    Ok(input)
}

fn main() {}
