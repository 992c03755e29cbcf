use flowstate::prelude::*;

#[state]
struct Log {
    ends: u32,
}

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

#[block(sequencer, state = Log)]
fn all(n: u64) -> u64 {
    n.step(work, on_settled = |ctx, _| ctx.self_.ends.get())
}

fn main() {}
