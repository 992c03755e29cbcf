//! A misspelled option.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat", tool = [])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
