//! One model twice in a list.
use flowstate::prelude::*;

#[block(generator, model = ["intent/chat", "intent/plan", "intent/chat"])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
