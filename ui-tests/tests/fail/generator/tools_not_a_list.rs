//! Tools that are a text.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat", tools = "search")]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
