use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

#[capability(config = SearchConfig)]
pub struct Search;

#[block(handler, uses = [Search.with(limti = 5)])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
