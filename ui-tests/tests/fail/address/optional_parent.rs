use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parent = Option<Tally>)]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.parent.count.get())
}

fn main() {}
