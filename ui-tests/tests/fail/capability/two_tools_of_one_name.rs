//! A capability has two tools of one name.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[block(handler, name = "report")]
async fn other(text: String) -> Result<String> {
    Ok(text)
}

#[capability(tools = [report], control_tools = [other])]
struct Reporting;

fn main() {}
