use flowstate::prelude::*;

#[capability(visibility(client))]
pub struct Shown;

#[capability(visibility(history))]
pub struct Kept;

#[block(handler, uses = [Shown, Kept])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
