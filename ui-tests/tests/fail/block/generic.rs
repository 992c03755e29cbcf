use flowstate::prelude::*;

#[block(handler)]
async fn plain<T: Clone>(input: T) -> Result<T> {
    Ok(input)
}

fn main() {}
