//! A tool is made of a field that the configuration does not have.
use flowstate::prelude::*;

#[derive(Default)]
struct Sites {
    site: String,
}

#[block(handler)]
async fn look_up(words: String, #[config] site: String) -> Result<String> {
    Ok(format!("{words} on {site}"))
}

#[capability(config = Sites, tools = [look_up(config.page.clone())])]
struct Library;

#[block(generator, model = "m", uses = [Library])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
