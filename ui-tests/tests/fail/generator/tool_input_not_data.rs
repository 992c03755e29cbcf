//! A tool whose input is no data: said once, where the tool is declared.
use flowstate::prelude::*;

struct Query;

#[block(handler)]
async fn search(_: Query) -> Result<String> {
    Ok(String::new())
}

#[block(generator, model = "intent/chat", tools = [search])]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
