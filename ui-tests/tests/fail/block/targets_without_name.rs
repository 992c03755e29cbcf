use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, targets(Tally))]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
