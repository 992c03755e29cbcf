use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
fn all(n: u64) -> (u64, flowstate::sequence::Waited) {
    n.wait_for_condition(|items| items.has_message("work"), timeout = "5s")
}

fn main() {}
