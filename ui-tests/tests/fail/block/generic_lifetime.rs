use flowstate::prelude::*;

#[block(handler)]
async fn plain<'a>(input: &'a str) -> Result<String> {
    Ok(input.to_string())
}

fn main() {}
