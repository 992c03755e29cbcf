//! A generator that does not say which model it asks.
use flowstate::prelude::*;

#[block(generator)]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
