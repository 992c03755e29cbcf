use flowstate::prelude::*;

#[data]
#[derive(Default)]
pub struct SearchConfig {
    pub limit: u32,
    pub site: String,
}

#[capability(config = SearchConfig, presets(a = on(|c| c.limit = 1), a = off(|c| c.limit = 2)))]
pub struct Search;

fn main() {}
