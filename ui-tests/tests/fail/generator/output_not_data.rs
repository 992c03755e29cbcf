//! What a prompt asks for goes out of the block.
use flowstate::prelude::*;

struct Verdict;

#[block(generator, model = "intent/chat")]
async fn agent(input: &str) -> Result<Prompt<Verdict>> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
