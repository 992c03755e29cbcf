use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, state = [Tally, Tally])]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
