use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

fn strict(config: &SearchConfig) -> u32 {
    config.limit
}

#[capability(config = SearchConfig, presets(strict = on(strict)))]
pub struct Search;

fn main() {}
