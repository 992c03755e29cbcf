//! `on_settled`: told once how each run of a step ended.

use std::time::Duration;

use flowstate::prelude::*;
use flowstate::sequence::Settled;
use tokio::time::{sleep, timeout};

#[derive(Clone, Default)]
struct Told(std::sync::Arc<std::sync::Mutex<Vec<Settled>>>);

impl Told {
    fn all(&self) -> Vec<Settled> {
        self.0.lock().unwrap().clone()
    }
}

#[state]
struct Seen {
    last: String,
    times: u32,
}

/// 13 fails, 66 panics, 99 takes an hour.
#[block(handler)]
async fn moody(n: u64) -> Result<u64> {
    match n {
        13 => Err(Error::msg("unlucky")),
        66 => panic!("sixty-six"),
        99 => {
            sleep(Duration::from_secs(3600)).await;
            Ok(n)
        }
        n => Ok(n + 1),
    }
}

#[block(sequencer, state = Seen, needs = [Told])]
fn watched(n: u64) -> (u64, String, u32) {
    n.step(
        moody,
        on_settled = |ctx, outcome| {
            ctx.needs.told.0.lock().unwrap().push(outcome);
            ctx.self_.last.set(format!("{outcome:?}"))
        },
    )
    .step_if(|n| *n > 100, moody, on_settled = |ctx, _| ctx.self_.times.inc(1))
    .map(|n, ctx| (n, ctx.self_.last.get(), ctx.self_.times.get()))
}

fn app() -> (App, Told) {
    let told = Told::default();
    (App::builder().provide(told.clone()).build().unwrap(), told)
}

#[tokio::test(start_paused = true)]
async fn each_end_is_told_once() {
    let (app, told) = app();
    assert_eq!(app.run(watched, 1).await.unwrap(), (2, "Returned".into(), 0));
    assert_eq!(app.run(watched, 100).await.unwrap(), (102, "Returned".into(), 1));
    assert_eq!(app.run(watched, 13).await.unwrap_err().to_string(), "unlucky");
    assert_eq!(app.run(watched, 66).await.unwrap_err().code(), "block_panicked");
    assert!(timeout(Duration::from_secs(1), app.run(watched, 99)).await.is_err());
    use Settled::{Cancelled, Returned, Threw};
    assert_eq!(told.all(), [Returned, Returned, Threw, Threw, Cancelled]);
}

fn count<C>(_: &C, _: Settled) {}

#[block(sequencer, state = Seen)]
fn refused(n: u64) -> u64 {
    n.step(
        moody,
        on_settled = |ctx, _| {
            ctx.self_.times.inc(u32::MAX)?;
            // does not fit: the error is logged, and the step has returned all the same
            ctx.self_.times.inc(1)
        },
    )
    .step(|n| n * 2, moody, on_settled = count)
}

#[tokio::test]
async fn the_function_changes_nothing() {
    assert_eq!(flowstate::run(refused, 1).await.unwrap(), 5);
}
