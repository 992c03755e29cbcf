use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

fn large(n: &u64) -> bool {
    *n > 9
}

#[block(sequencer)]
fn all(n: u64) -> (u64, flowstate::sequence::Waited) {
    n.wait_for_condition(large, timeout = "5s")
}

fn main() {}
