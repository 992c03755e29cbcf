//! A misspelled `repair`.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat", repair(with = "intent/utility"))]
async fn agent(input: &str) -> Result<Prompt<u32>> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
