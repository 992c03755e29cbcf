use flowstate::prelude::*;

#[block(handler, sequencer)]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
