//! Two capabilities bring two tools of one name.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[block(handler, name = "report")]
async fn other(text: String) -> Result<String> {
    Ok(text)
}

#[capability(tools = [report])]
struct Reporting;

#[capability(tools = [other])]
struct Telling;

#[block(generator, model = "m", uses = [Reporting, Telling])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
