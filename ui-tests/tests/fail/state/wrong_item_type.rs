use flowstate::prelude::*;

#[state]
pub struct Log {
    pub name: String,
    pub lines: Vec<String>,
    pub tags: std::collections::BTreeSet<String>,
}

#[block(handler, state = Log)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.lines.push(input)?;
    Ok(input)
}

fn main() {}
