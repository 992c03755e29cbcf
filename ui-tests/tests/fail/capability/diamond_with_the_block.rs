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

#[block(handler, uses = [Library, Search])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
