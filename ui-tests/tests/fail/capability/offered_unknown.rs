//! A tool is offered that is not declared.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[capability(tools = [report], offered = Self::offered)]
struct Reporting;

#[capability]
impl Reporting {
    fn offered(_: &Ctx) -> Vec<ReportingTool> {
        vec![ReportingTool::Tell]
    }
}

fn main() {}
