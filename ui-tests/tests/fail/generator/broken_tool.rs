//! A tool that did not compile is one error.
use flowstate::prelude::*;

#[block(handler, stat = u32)]
async fn search(text: String) -> Result<String> {
    Ok(text)
}

#[block(generator, model = "intent/chat", tools = [search])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input).tools([Tool::Search]))
}

fn main() {}
