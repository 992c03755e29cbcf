//! A prompt for a text where one for a number is declared.
use flowstate::prelude::*;

fn ask(input: &str) -> Prompt {
    Prompt::system("x").user(input)
}

#[block(generator, model = "intent/chat")]
async fn agent(input: &str) -> Result<Prompt<u32>> {
    Ok(ask(input))
}

fn main() {}
