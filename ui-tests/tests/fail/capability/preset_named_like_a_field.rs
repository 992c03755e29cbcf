use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

#[capability(config = SearchConfig, presets(limit = on(|config| config.limit = 1)))]
pub struct Search;

fn main() {}
