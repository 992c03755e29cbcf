//! A model is named by a text.
use flowstate::prelude::*;

#[block(generator, model = chat)]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
