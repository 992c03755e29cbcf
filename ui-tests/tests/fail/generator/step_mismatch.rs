//! A generator whose output does not fit the next step.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat")]
async fn agent(input: &str) -> Result<Prompt<u32>> {
    Ok(Prompt::system("x").user(input))
}

#[block(handler)]
async fn next(text: String) -> Result<String> {
    Ok(text)
}

#[block(sequencer)]
fn run(input: String) -> String {
    input.step(agent).step(next)
}

fn main() {}
