use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, session = Tally)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.session.count.inc(1)?;
    Ok(input)
}

fn main() {}
