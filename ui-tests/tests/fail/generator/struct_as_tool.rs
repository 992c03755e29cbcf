//! A tool that is a type.
use flowstate::prelude::*;

#[derive(Default)]
struct search;

#[block(generator, model = "intent/chat", tools = [search])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
