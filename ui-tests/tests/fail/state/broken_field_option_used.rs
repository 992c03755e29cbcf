use flowstate::prelude::*;

#[state]
pub struct Bag {
    #[state(defualt = 1)]
    pub count: u32,
}

#[block(handler, state = Bag)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.count.inc(1)?;
    Ok(input)
}

fn main() {}
