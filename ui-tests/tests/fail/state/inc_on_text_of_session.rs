use flowstate::prelude::*;

#[state]
pub struct Log {
    pub name: String,
    pub lines: Vec<String>,
    pub tags: std::collections::BTreeSet<String>,
}

#[block(handler, session = Log)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.session.name.inc(1).await?;
    Ok(input)
}

fn main() {}
