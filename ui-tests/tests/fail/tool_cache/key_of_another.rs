use flowstate::prelude::*;

fn name(text: &String) -> String {
    text.clone()
}

#[block(handler, cacheable(key = name))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
