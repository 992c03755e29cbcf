//! Waiting for all of an app, and what happens where a request of it waits itself.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use flowstate::app::{Called, Run};
use flowstate::item::Outcome;
use flowstate::prelude::*;
use tokio::time::{Instant, sleep, timeout};

/// The app, for its own blocks.
type Own = Arc<OnceLock<App>>;
/// A request that a hook cancels.
type Victim = Arc<Mutex<Option<Run<()>>>>;

#[block(handler)]
async fn wait(seconds: u64) -> Result<()> {
    sleep(Duration::from_secs(seconds)).await;
    Ok(())
}

/// Waits inside of the app until nothing else of it runs; gives after how many seconds that was.
#[block(handler, needs = [Own])]
async fn waiting(_: (), ctx: Ctx) -> Result<u64> {
    let begun = Instant::now();
    ctx.needs.own.get().unwrap().shutdown().await;
    Ok(begun.elapsed().as_secs())
}

#[block(handler, needs = [Own])]
async fn aside(_: (), ctx: Ctx) -> Result<()> {
    ctx.needs.own.get().unwrap().shutdown().await;
    Ok(())
}

/// Waits in a side chain.
#[block(sequencer)]
fn beside(begin: ()) -> u64 {
    begin.side_chain(aside).map(|_| 0)
}

/// Cancels the request that it belongs to, or waits for all others.
#[block(handler, needs = [Own, Victim])]
async fn finished(_: Called, ctx: Ctx) -> Result<()> {
    let victim = ctx.needs.victim.lock().unwrap().take();
    match victim {
        Some(run) => run.cancel().await,
        None => ctx.needs.own.get().unwrap().shutdown().await,
    }
    Ok(())
}

flow! {
    #[flow(on_finished = finished)]
    struct Hooked {
        pub wait: wait,
    }
}

fn app() -> (App, Victim) {
    let (own, victim) = (Own::default(), Victim::default());
    let app = App::builder().flow(Hooked).provide(own.clone()).provide(victim.clone());
    let app = app.build().unwrap();
    let _ = own.set(app.clone());
    (app, victim)
}

/// In a time that nothing here takes.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(1000), work).await.expect("it does not wait for itself")
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_inside_wait_for_all_others() {
    let (app, _) = app();
    let other = app.start(wait, 7).await.unwrap();
    let waits = [app.start(waiting, ()).await.unwrap(), app.start(waiting, ()).await.unwrap()];
    let outside = app.shutdown();
    for run in waits {
        assert_eq!(soon(run.output()).await.unwrap(), 7);
    }
    soon(outside).await;
    other.output().await.unwrap();
    // one that runs on its caller's task, too
    assert_eq!(soon(app.run(waiting, ())).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn so_do_side_chains_and_last_hooks() {
    let (app, _) = app();
    let begun = Instant::now();
    let other = app.start(wait, 7).await.unwrap();
    assert_eq!(soon(app.start(beside, ()).await.unwrap().output()).await.unwrap(), 0);
    assert_eq!(begun.elapsed().as_secs(), 7);
    other.output().await.unwrap();

    let other = app.start(wait, 7).await.unwrap();
    soon(app.start(Hooked::wait, 1).await.unwrap().output()).await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 14);
    other.output().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_last_hook_may_cancel_its_own_request() {
    let (app, victim) = app();
    let run = app.request().session("s").start(Hooked::wait, 5).await.unwrap();
    *victim.lock().unwrap() = Some(run);
    soon(app.shutdown()).await;
    assert!(victim.lock().unwrap().is_none());
    let ended = app.sessions().get("s").await.unwrap().requests().await.unwrap();
    assert_eq!(ended[0].outcome, Some(Outcome::Completed), "it was, when the hook began");
}

#[tokio::test(start_paused = true)]
async fn to_wait_no_longer_changes_nothing() {
    let (app, _) = app();
    let run = app.start(wait, 7).await.unwrap();
    for _ in 0..3 {
        assert!(timeout(Duration::from_secs(2), app.shutdown()).await.is_err());
    }
    let begun = Instant::now();
    app.shutdown().await;
    assert_eq!(begun.elapsed().as_secs(), 1);
    run.output().await.unwrap();
}
