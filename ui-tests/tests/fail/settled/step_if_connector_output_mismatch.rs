use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(handler)]
async fn show(n: u64) -> Result<String> {
    Ok(n.to_string())
}

#[block(sequencer)]
fn all(n: u64) -> u64 {
    n.step_if(|n| *n > 1, |n| n + 1, show, on_settled = |_, _| {})
}

fn main() {}
