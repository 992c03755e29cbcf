use flowstate::prelude::*;

#[state(keey = "bag")]
pub struct Bag {
    pub count: u32,
}

#[block(handler, state = Bag)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.count.inc(1)?;
    Ok(input)
}

fn helper(bag: &Local<'_, Bag>) -> u32 {
    bag.count.get()
}

fn main() {}
