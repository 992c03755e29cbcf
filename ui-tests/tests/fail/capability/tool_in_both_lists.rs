//! A tool stands in both lists.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[capability(tools = [report], control_tools = [report])]
struct Reporting;

#[block(generator, model = "m", uses = [Reporting])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system("").tools([ReportingTool::Report]))
}

fn main() {}
