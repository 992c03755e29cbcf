use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[block(handler, uses = [Skills])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
