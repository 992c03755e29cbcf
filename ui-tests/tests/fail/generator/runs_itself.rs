//! A generator as its own tool.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat", tools = [agent])]
async fn agent(input: String) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
