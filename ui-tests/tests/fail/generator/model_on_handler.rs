//! Only a generator asks a model.
use flowstate::prelude::*;

#[block(handler, model = "intent/chat")]
async fn agent(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
