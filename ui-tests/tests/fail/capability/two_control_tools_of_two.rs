//! Two capabilities have two tools of one name for control.
use flowstate::prelude::*;

#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(text)
}

#[capability(control_tools = [tell = report])]
struct Reporting;

#[capability(uses = [Reporting], control_tools = [tell = report.map_model_output(|_: &String| String::new())])]
struct Telling;

#[block(generator, model = "m", tools = [], uses = [Telling])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
