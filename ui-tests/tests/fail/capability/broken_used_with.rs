use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

#[capability(config = SearchConfig, nmae = "search")]
pub struct Search;

#[block(handler, uses = [Search.with(limit = 3)])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    ctx.cap.search.find(&input)?;
    Ok(input)
}

fn main() {}
