use flowstate::prelude::*;

#[block(handler)]
async fn shout(text: &'static str) -> Result<String> {
    Ok(text.to_uppercase())
}

#[block(sequencer)]
fn chain(text: String) -> String {
    text.step(shout)
}

fn main() {}
