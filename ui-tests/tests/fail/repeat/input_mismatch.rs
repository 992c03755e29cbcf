use flowstate::prelude::*;

#[block(handler)]
async fn takes_text(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> String {
    input.do_until(takes_text, |v| v.len() > 3)
}

fn main() {}
