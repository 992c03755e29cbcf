//! Steps that are timed in `ratios` and whose instructions `instructions` counts: a run of one, and one of 21.

use std::hint::black_box;

use flowstate::prelude::*;
use flowstate_benches::{Tally, bump, by_hand, chains, leaf, plain_bump, plain_leaf};

// a step that counts in its parent
chains! { parent_1 parent_21 [, state = Tally]: .step(bump) }
by_hand! { plain_bump_1 plain_bump_21 |v, state| let v = plain_bump(v, state).await?; }

// … in the nearest sequencer that holds the counter, two further out than its own
#[block(handler, sequencer = Tally)]
pub(crate) async fn bump_nearest(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.sequencer.count.inc(1)?;
    Ok(black_box(input) + 1)
}
chains! { far_1_in far_21_in []: .step(bump_nearest) }
#[block(sequencer)]
pub(crate) fn far_1_mid(input: u64) -> u64 {
    input.step(far_1_in)
}
#[block(sequencer)]
pub(crate) fn far_21_mid(input: u64) -> u64 {
    input.step(far_21_in)
}
#[block(sequencer, state = Tally)]
pub(crate) fn far_1(input: u64) -> u64 {
    input.step(far_1_mid)
}
#[block(sequencer, state = Tally)]
pub(crate) fn far_21(input: u64) -> u64 {
    input.step(far_21_mid)
}

// the same steps of an async sequencer
#[block(sequencer, state = Tally)]
pub(crate) async fn written_1(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.step(bump, input).await
}
#[block(sequencer, state = Tally)]
pub(crate) async fn written_21(input: u64, ctx: Ctx) -> Result<u64> {
    let mut v = ctx.step(bump, input).await?;
    for _ in 0..20 {
        v = ctx.step(bump, v).await?;
    }
    Ok(v)
}

// two at once
chains! { both_1 both_21 []: .parallel((leaf, leaf)).map(|(a, _): (u64, u64)| a) }
by_hand! { plain_both_1 plain_both_21 |v, _state| let (v, _) = tokio::try_join!(plain_leaf(v), plain_leaf(v))?; }
