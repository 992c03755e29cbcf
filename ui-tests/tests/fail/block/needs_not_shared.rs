use flowstate::prelude::*;

pub struct Pool {
    pub cell: std::cell::Cell<u32>,
}

#[block(handler, needs = [Pool])]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.needs.pool.cell.get())
}

fn main() {}
