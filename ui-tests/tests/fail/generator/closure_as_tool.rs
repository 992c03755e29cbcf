//! A tool that is a closure.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat", tools = [|text: String| text])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
