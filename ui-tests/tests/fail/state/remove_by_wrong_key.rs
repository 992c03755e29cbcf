use flowstate::prelude::*;

#[state]
pub struct Bag {
    pub ages: std::collections::BTreeMap<String, u32>,
}

#[block(handler, state = Bag)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.ages.remove(&input)?;
    Ok(input)
}

fn main() {}
