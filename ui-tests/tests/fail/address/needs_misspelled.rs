use flowstate::prelude::*;

#[derive(Debug)]
pub struct Pool {
    pub size: u32,
}

#[block(handler, needs = [Pool])]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.needs.pol.size)
}

fn main() {}
