//! A tool whose output is no data: said once, where the tool is declared.
use flowstate::prelude::*;

struct Found;

#[block(handler)]
async fn search(_: String) -> Result<Found> {
    Ok(Found)
}

#[block(generator, model = "intent/chat", tools = [search])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
