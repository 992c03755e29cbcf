use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer)]
fn all(n: u64) -> Option<u64> {
    n.step(work).map(|_, ctx| ctx.output_of())
}

fn main() {}
