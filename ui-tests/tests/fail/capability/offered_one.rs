//! One tool is offered, not a list.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[capability(tools = [report], offered = Self::offered)]
struct Reporting;

#[capability]
impl Reporting {
    fn offered(_: &Ctx) -> ReportingTool {
        ReportingTool::Report
    }
}

fn main() {}
