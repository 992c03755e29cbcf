use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[state]
pub struct Total {
    pub count: u64,
}

#[block(handler, session = [Tally, Total])]
async fn plain(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
