//! A tool that is a plain function.
use flowstate::prelude::*;

async fn search(text: String) -> Result<String> {
    Ok(text)
}

#[block(generator, model = "intent/chat", tools = [search])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
