//! Work that a sequencer queues and does not wait for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use flowstate::prelude::*;
use tokio::time::{Instant, sleep, timeout};

#[state]
struct Log {
    ended: Vec<u64>,
}

/// How many runs are alive, and how many were at most.
#[derive(Default)]
struct Alive {
    now: AtomicU32,
    most: AtomicU32,
}

struct Guard(Arc<Alive>);

impl Guard {
    fn new(alive: &Arc<Alive>) -> Self {
        let now = alive.now.fetch_add(1, Ordering::SeqCst) + 1;
        alive.most.fetch_max(now, Ordering::SeqCst);
        Self(alive.clone())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Takes so many seconds, and writes into the sequencer that queued it; 13 fails, 66 panics.
#[block(handler, parent = Log, needs = [Arc<Alive>])]
async fn later(seconds: u64, ctx: Ctx) -> Result<()> {
    let _guard = Guard::new(ctx.needs.arc);
    sleep(Duration::from_secs(seconds)).await;
    ctx.parent.ended.push(seconds)?;
    match seconds {
        13 => Err(Error::msg("unlucky")),
        66 => panic!("sixty-six"),
        _ => Ok(()),
    }
}

fn app() -> (App, Arc<Alive>) {
    let alive = Arc::new(Alive::default());
    (App::builder().provide(alive.clone()).build().unwrap(), alive)
}

#[block(sequencer, state = Log)]
fn queues(n: u64) -> (u64, Vec<u64>) {
    n.side_chain(later)
        .side_chain_if(|n| *n > 100, later)
        .side_chain_if(|n| *n < 100, |n| n + 1, later)
        .map(|n, ctx| (n, ctx.self_.ended.get()))
}

#[tokio::test(start_paused = true)]
async fn a_request_ends_when_nothing_is_left() {
    let (app, alive) = app();
    let begun = Instant::now();
    // the chain has not waited, the request has; a failure changes nothing
    assert_eq!(app.run(queues, 12).await.unwrap(), (12, vec![]));
    assert_eq!(begun.elapsed().as_secs(), 13);
    assert_eq!(alive.now.load(Ordering::SeqCst), 0);
    assert_eq!(app.run(queues, 65).await.unwrap(), (65, vec![]), "a panic changes nothing either");
}

#[block(sequencer, state = Log)]
fn waits(n: Vec<u64>) -> Vec<u64> {
    n.for_each_side_chain(later, max_concurrency = 2)
        .wait_for_side_chain()
        .map(|_, ctx| ctx.self_.ended.get())
}

#[block(sequencer, state = Log)]
fn strict(n: u64) -> Vec<u64> {
    n.side_chain(later)
        .side_chain(|_| 20, later)
        .wait_for_side_chain(fail_on_error = true, timeout = "1m")
        .wait_for_side_chain(fail_on_error = true)
        .map(|_, ctx| ctx.self_.ended.get())
}

#[tokio::test(start_paused = true)]
async fn waiting_for_them() {
    let (app, alive) = app();
    assert_eq!(app.run(waits, vec![3, 1, 1, 13, 2]).await.unwrap(), [1, 1, 3, 2, 13]);
    assert_eq!(alive.most.load(Ordering::SeqCst), 2);
    assert_eq!(app.run(strict, 1).await.unwrap(), [1, 20]);
    // all are awaited, and then the first failure is raised
    let begun = Instant::now();
    let error = app.run(strict, 13).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.path()), ("unlucky", "strict > later"));
    assert_eq!(begun.elapsed().as_secs(), 20);
    assert_eq!(app.run(strict, 66).await.unwrap_err().code(), "timeout");
    assert_eq!(alive.now.load(Ordering::SeqCst), 0, "a wait that is over leaves none behind");
}

#[block(sequencer, state = Log)]
async fn written(n: u64, ctx: Ctx) -> Result<Vec<u64>> {
    ctx.side_chain(later, n);
    ctx.side_chain(later, n + 1);
    ctx.wait_for_side_chain(true).await?;
    // queued by what was queued, and drained all the same
    ctx.side_chain(nested, n);
    Ok(ctx.self_.ended.get())
}

#[block(sequencer, state = Log)]
fn nested(n: u64) -> u64 {
    n.side_chain(|n| n + 100, later)
}

#[tokio::test(start_paused = true)]
async fn of_an_async_sequencer() {
    let (app, alive) = app();
    let begun = Instant::now();
    assert_eq!(app.run(written, 2).await.unwrap(), [2, 3]);
    assert_eq!(begun.elapsed().as_secs(), 3 + 102);
    assert_eq!(alive.now.load(Ordering::SeqCst), 0);
    assert_eq!(app.run(written, 12).await.unwrap_err().to_string(), "unlucky");
}

#[tokio::test(start_paused = true)]
async fn they_outlive_a_future_that_is_dropped() {
    let (app, alive) = app();
    let run = app.run(strict, 1);
    assert!(timeout(Duration::from_millis(100), run).await.is_err(), "dropped while it waits");
    assert_eq!(alive.now.load(Ordering::SeqCst), 2);
    let begun = Instant::now();
    app.shutdown().await;
    assert_eq!(begun.elapsed().as_secs(), 19);
    assert_eq!(alive.now.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn cancelling_a_started_request_ends_them() {
    let (app, alive) = app();
    let run = app.start(strict, 1).await.unwrap();
    sleep(Duration::from_millis(100)).await;
    assert_eq!(alive.now.load(Ordering::SeqCst), 2);
    let begun = Instant::now();
    run.cancel().await;
    assert_eq!((alive.now.load(Ordering::SeqCst), begun.elapsed()), (0, Duration::ZERO));
    app.shutdown().await;
}

/// Tells a task of one's own when the request is cancelled.
#[block(handler)]
async fn watched(told: u64, ctx: Ctx) -> Result<()> {
    let signal = ctx.signal();
    assert!(!signal.is_cancelled());
    tokio::spawn(async move { signal.cancelled().await });
    sleep(Duration::from_secs(told)).await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_signal() {
    let (app, _) = app();
    let run = app.start(watched, 1000).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    run.cancel().await;
    assert!(app.run(watched, 1).await.is_ok(), "another request has another signal");
}
