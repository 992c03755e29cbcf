//! A tool that is nowhere.
use flowstate::prelude::*;

#[capability(tools = [repotr])]
struct Reporting;

#[block(generator, model = "m", uses = [Reporting])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
