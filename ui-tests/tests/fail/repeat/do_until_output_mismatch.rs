use flowstate::prelude::*;

#[block(handler)]
async fn shout(input: u32) -> Result<String> {
    Ok(input.to_string())
}

#[block(sequencer)]
fn pipeline(input: u32) -> String {
    input.do_until(shout, |v| v.len() > 3)
}

fn main() {}
