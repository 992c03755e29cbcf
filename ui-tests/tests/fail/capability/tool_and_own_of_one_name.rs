//! A tool that a capability has for control has the name of another one of the generator.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[block(handler)]
async fn other(text: String) -> Result<String> {
    Ok(text)
}

#[capability(control_tools = [report])]
struct Reporting;

#[block(generator, model = "m", tools = [report = other], uses = [Reporting])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
