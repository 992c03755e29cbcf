use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
fn all(n: u64) -> u64 {
    n.step_if(|n| *n > 1, again(all)).step(work).map(|n, ctx| ctx.output_of(all).unwrap_or(n))
}

fn main() {}
