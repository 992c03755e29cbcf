//! Requests that are over hold nothing: what is allocated does not grow from round to round.

use flowstate::prelude::*;
use flowstate_benches::{Tally, count, leaf, live};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::task::yield_now;

/// Writes after others had their turn, so that the requests overlap.
#[block(handler, parent = Tally)]
async fn note(_: u64, ctx: Ctx) -> Result<()> {
    yield_now().await;
    ctx.parent.count.inc(1)?;
    Ok(())
}

#[block(handler, parent = Tally)]
async fn turn(input: u64, ctx: Ctx) -> Result<u64> {
    yield_now().await;
    ctx.parent.count.inc(1)?;
    Ok(input + 1)
}

#[block(sequencer, state = Tally)]
fn ten(input: u64) -> u64 {
    input
        .step(leaf)
        .side_chain(note)
        .step(turn)
        .step(leaf)
        .step(turn)
        .side_chain(note)
        .step(leaf)
        .step(turn)
        .step(leaf)
        .step(turn)
        .for_each_side_chain(|n| [n, n + 1], note)
        .step(leaf)
        .step(turn)
        .wait_for_side_chain()
        .map(|_, ctx| ctx.self_.count.get())
}

async fn round(app: &App) {
    let mut all: FuturesUnordered<_> = (0..10_000).map(|n| app.run(ten, n)).collect();
    while let Some(output) = all.next().await {
        assert_eq!(output.unwrap(), 9, "five turns and four notes");
    }
}

#[tokio::test]
async fn ten_thousand_requests_leave_nothing() {
    let app = App::builder().build().unwrap();
    count();
    round(&app).await;
    let first = live();
    round(&app).await;
    round(&app).await;
    let third = live();
    assert!(
        third <= first + first / 100,
        "{first} bytes after the first round, {third} after the third"
    );
}
