//! A prompt without `Result`.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat")]
async fn agent(input: &str) -> Prompt {
    Prompt::system("x").user(input)
}

fn main() {}
