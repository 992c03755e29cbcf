//! Two blocks that say they have one name.
use flowstate::prelude::*;

#[block(handler, name = "find")]
async fn search(text: String) -> Result<String> {
    Ok(text)
}

#[block(handler)]
async fn find(text: String) -> Result<String> {
    Ok(text)
}

#[block(generator, model = "intent/chat", tools = [search, find])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
