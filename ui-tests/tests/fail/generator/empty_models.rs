//! A list of models without one.
use flowstate::prelude::*;

#[block(generator, model = [])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
