use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

#[capability(config = SearchConfig, required = [site])]
pub struct Search;

#[block(handler, uses = [Search.with(limit = 5)])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
