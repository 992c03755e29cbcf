//! The tools of another capability are offered.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[capability(tools = [report])]
struct Telling;

#[capability(tools = [report], offered = Self::offered)]
struct Reporting;

#[capability]
impl Reporting {
    fn offered(_: &Ctx) -> Vec<TellingTool> {
        vec![TellingTool::Report]
    }
}

fn main() {}
