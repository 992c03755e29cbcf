use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

#[capability(config = SearchConfig, required = [limti])]
pub struct Search;

// said once: not again of who uses it
#[block(handler, uses = [Search.with(limit = 3)])]
async fn find(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
