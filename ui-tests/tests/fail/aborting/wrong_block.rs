use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
fn all(n: u64) -> u64 {
    n.map(|n| n.to_string()).step(work, abort_signal = |_| std::future::ready(()))
}

fn main() {}
