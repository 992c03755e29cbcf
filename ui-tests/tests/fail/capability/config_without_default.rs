use flowstate::prelude::*;

pub struct SearchConfig {
    pub limit: u32,
}

#[capability(config = SearchConfig)]
pub struct Search;

#[block(handler, uses = [Search])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    let _ = &ctx.cap.search;
    Ok(input)
}

fn main() {}
