use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

#[capability(config = SearchConfig)]
pub struct Search;

#[capability(uses = [Search.with(limit = 1)])]
pub struct Library;

#[capability(uses = [Search.with(limit = 2)])]
pub struct Shop;

#[block(handler, uses = [Library, Shop])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
