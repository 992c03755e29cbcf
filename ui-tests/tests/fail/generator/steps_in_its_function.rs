//! A generator's function runs no blocks.
use flowstate::prelude::*;

#[block(handler)]
async fn search(text: String) -> Result<String> {
    Ok(text)
}

#[block(generator, model = "intent/chat", tools = [search])]
async fn agent(input: String, ctx: Ctx) -> Result<Prompt> {
    Ok(Prompt::system(ctx.step(search, input).await?))
}

fn main() {}
