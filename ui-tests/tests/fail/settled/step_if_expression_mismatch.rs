use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
fn all(n: u64) -> u64 {
    n.step_if(|n| *n > 1, work.connect_output(|n| n.to_string()), on_settled = |_, _| {})
}

fn main() {}
