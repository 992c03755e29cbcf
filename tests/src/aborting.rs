//! `abort_signal`: a step that is dropped, and fails, when a signal fires.

use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use flowstate::Signal;
use flowstate::error::AbortedError;
use flowstate::prelude::*;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::live::Live;

/// What stops the work.
#[derive(Clone, Default)]
struct Stop(Arc<Notify>);

/// What was heard of a signal, of how steps ended.
#[derive(Clone, Default)]
struct Heard(Arc<std::sync::Mutex<Vec<String>>>);

impl Heard {
    fn note(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn all(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

struct Given {
    app: App,
    stop: Stop,
    heard: Heard,
    live: Live,
}

fn given() -> Given {
    let (stop, heard, live) = (Stop::default(), Heard::default(), Live::default());
    let app = App::builder().provide(stop.clone()).provide(heard.clone()).provide(live.clone());
    Given { app: app.build().unwrap(), stop, heard, live }
}

/// Takes so many seconds, and has a task of its own that tells when it is no longer wanted.
#[block(handler, needs = [Heard, Live])]
async fn work(seconds: u64, ctx: Ctx) -> Result<u64> {
    let _alive = ctx.needs.live.enter();
    let (signal, heard) = (ctx.signal(), ctx.needs.heard.clone());
    assert!(!signal.is_cancelled());
    tokio::spawn(async move {
        signal.cancelled().await;
        heard.note("told");
    });
    sleep(Duration::from_secs(seconds)).await;
    Ok(seconds + 1)
}

#[block(handler)]
async fn late(failure: Rescued) -> Result<u64> {
    assert!(failure.is::<AbortedError>());
    Ok(0)
}

#[block(sequencer)]
fn inner(n: u64) -> u64 {
    n.step(work)
}

#[block(sequencer, needs = [Stop, Heard])]
fn stopped(n: u64) -> u64 {
    n.step(
        inner,
        abort_signal = |ctx| ctx.needs.stop.0.clone().notified_owned(),
        on_settled = |ctx, outcome| ctx.needs.heard.note(format!("{outcome:?}")),
    )
    .map(|n| n * 10)
}

#[block(sequencer)]
fn rescued(n: u64) -> u64 {
    n.step(stopped).rescue(code = "aborted", late)
}

#[tokio::test(start_paused = true)]
async fn the_step_is_dropped_and_fails() {
    let Given { app, stop, heard, live } = given();
    assert_eq!(app.run(stopped, 3).await.unwrap(), 40, "nothing fired");
    assert_eq!(heard.all(), ["Returned"]);

    let run = app.start(stopped, 3600).await.unwrap();
    live.arrived(2).await;
    let begun = Instant::now();
    stop.0.notify_waiters();
    let error = run.output().await.unwrap_err();
    assert_eq!((begun.elapsed(), live.alive()), (Duration::ZERO, 0));
    assert_eq!((error.code(), error.path()), ("aborted", "stopped > inner"));
    assert!(error.is::<AbortedError>() && !error.retryable());
    tokio::task::yield_now().await;
    assert_eq!(heard.all(), ["Cancelled", "told"]);
}

#[tokio::test(start_paused = true)]
async fn it_can_be_rescued() {
    let Given { app, stop, live, .. } = given();
    let run = app.start(rescued, 3600).await.unwrap();
    live.arrived(1).await;
    stop.0.notify_waiters();
    assert_eq!(run.output().await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_stays_one() {
    let Given { app, heard, live, .. } = given();
    let run = app.start(rescued, 3600).await.unwrap();
    live.arrived(1).await;
    run.cancel().await;
    tokio::task::yield_now().await;
    assert_eq!(live.alive(), 0);
    let mut all = heard.all();
    all.sort();
    assert_eq!(all, ["Cancelled", "told"], "the request's signal reaches into the step, too");
}

#[block(sequencer)]
fn at_once(n: u64) -> u64 {
    n.step(work, abort_signal = |_| ready(()))
}

fn never<C>(_: &C) -> impl Future<Output = ()> + use<C> {
    pending()
}

#[block(sequencer, needs = [Stop])]
fn forms(n: u64) -> u64 {
    n.step(|n| n, work, abort_signal = never)
        .step_if(|n| *n > 1, work, abort_signal = async |ctx| ctx.needs.stop.0.notified().await)
        .step_if(|n| *n > 1, |n| n, work, abort_signal = |ctx| ctx.needs.stop.0.notified())
        .step_if(|n| *n > 100, work, abort_signal = |_| ready(()))
        .step(work.connect_output(|n| n), abort_signal = |ctx| -> Signal { ctx.signal() })
}

#[tokio::test(start_paused = true)]
async fn what_can_be_a_signal() {
    let Given { app, live, stop, .. } = given();
    assert_eq!(app.run(forms, 1).await.unwrap(), 5);
    let begun = live.begun();
    assert_eq!(app.run(at_once, 1).await.unwrap_err().code(), "aborted");
    assert_eq!(live.begun(), begun, "a signal that has fired lets nothing begin");
    let run = app.start(forms, 2).await.unwrap();
    live.arrived(2 + 4).await;
    stop.0.notify_waiters();
    assert_eq!(run.output().await.unwrap_err().path(), "forms > work");
}

/// What it queues outlives it, and can tell whether it was aborted.
#[block(sequencer)]
fn queues(n: u64) -> u64 {
    n.side_chain(slow).step(work)
}

#[block(handler, needs = [Heard])]
async fn slow(n: u64, ctx: Ctx) -> Result<()> {
    sleep(Duration::from_secs(n / 2)).await;
    ctx.needs.heard.note(format!("queued, {}", ctx.signal().is_cancelled()));
    Ok(())
}

#[block(sequencer, needs = [Stop, Heard])]
fn over(n: u64) -> u64 {
    n.step(queues, abort_signal = |ctx| ctx.needs.stop.0.clone().notified_owned()).rescue(late)
}

#[tokio::test(start_paused = true)]
async fn what_it_has_queued_goes_on_and_sees_the_signal() {
    let Given { app, heard, stop, live } = given();
    let run = app.start(over, 10).await.unwrap();
    live.arrived(1).await;
    stop.0.notify_waiters();
    assert_eq!(run.output().await.unwrap(), 0);
    assert_eq!(heard.all(), ["told", "queued, true"]);
    app.run(over, 10).await.unwrap();
    assert_eq!(heard.all(), ["queued, false"]);
}

#[block(sequencer, needs = [Stop])]
fn turns(n: u64) -> u64 {
    n.step(work, abort_signal = |ctx| ctx.needs.stop.0.clone().notified_owned()).loop_back(
        work,
        when = |n| *n < 4,
        max_iterations = 9,
    )
}

#[tokio::test(start_paused = true)]
async fn each_turn_of_a_loop_has_its_own() {
    let Given { app, heard, stop, live } = given();
    assert_eq!(app.run(turns, 1).await.unwrap(), 4);
    live.arrived(3).await;
    let run = app.start(turns, 1).await.unwrap();
    live.arrived(2).await;
    stop.0.notify_waiters();
    assert_eq!(run.output().await.unwrap_err().path(), "turns > work[1]");
    tokio::task::yield_now().await;
    assert_eq!(heard.all(), ["told"], "the turn that was aborted, and no other");
    assert!(timeout(Duration::from_secs(1), app.run(turns, 1)).await.is_err());
}
