use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: impl ToString) -> Result<String> {
    Ok(input.to_string())
}

fn main() {}
