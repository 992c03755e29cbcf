//! A generator's function returns a prompt.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat")]
async fn agent(input: &str) -> Result<String> {
    Ok(input.to_owned())
}

fn main() {}
