use flowstate::prelude::*;

#[capability(name = "search")]
pub struct Web;

#[capability(name = "search")]
pub struct Files;

#[block(handler, uses = [Web, Files])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
