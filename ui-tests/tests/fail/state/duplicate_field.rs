use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[state]
pub struct Total {
    pub count: u64,
}

#[block(handler, state = [Tally, Total])]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.count.inc(1)?;
    Ok(input)
}

fn main() {}
