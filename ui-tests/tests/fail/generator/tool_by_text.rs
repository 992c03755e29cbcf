//! A prompt that names a tool by a text.
use flowstate::prelude::*;

#[block(handler)]
async fn search(text: String) -> Result<String> {
    Ok(text)
}

#[block(generator, model = "intent/chat", tools = [search])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input).tools(["search"]))
}

fn main() {}
