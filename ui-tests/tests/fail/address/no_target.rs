use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, targets(outer = Tally))]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.targets.inner.count.get())
}

fn main() {}
