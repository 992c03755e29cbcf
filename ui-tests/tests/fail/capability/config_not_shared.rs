use flowstate::prelude::*;

#[derive(Default)]
pub struct SearchConfig {
    pub limit: std::cell::Cell<u32>,
}

#[capability(config = SearchConfig)]
pub struct Search;

#[block(handler, uses = [Search])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
