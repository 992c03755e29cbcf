use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
fn all(n: u64) -> u64 {
    n.step(work, abort = |_| std::future::ready(()))
}

fn main() {}
