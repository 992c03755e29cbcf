//! Only a generator has tools.
use flowstate::prelude::*;

#[block(handler)]
async fn tool(n: u32) -> Result<u32> {
    Ok(n)
}

#[block(handler, tools = [tool])]
async fn agent(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
