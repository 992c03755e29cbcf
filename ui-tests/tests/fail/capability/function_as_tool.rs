//! A function is no tool.
use flowstate::prelude::*;

async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[capability(tools = [report])]
struct Reporting;

#[block(generator, model = "m", uses = [Reporting])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
