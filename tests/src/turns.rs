//! Actions of one session that take turns: `#[action(concurrency = …)]`.

use std::sync::{Arc, Mutex};

use flowstate::prelude::*;
use futures_util::FutureExt as _;
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

/// Where a test sees who runs, and lets it end.
#[derive(Clone)]
struct Gate {
    began: mpsc::UnboundedSender<u32>,
    pass: Arc<Semaphore>,
    ids: Arc<Mutex<Vec<String>>>,
}

#[block(handler, needs = [Gate])]
async fn work(number: u32, ctx: Ctx) -> Result<u32> {
    ctx.needs.gate.ids.lock().unwrap().push(ctx.current_request().id().to_string());
    ctx.needs.gate.began.send(number).unwrap();
    ctx.needs.gate.pass.acquire().await.unwrap().forget();
    Ok(number)
}

flow! {
    struct Desk {
        pub any: work,
        #[action(concurrency = allow)]
        pub allowed: work,
        #[action(concurrency = queue, description = "One after the other")]
        pub queued: work,
        #[action(concurrency = reject)]
        pub refused: work,
    }
}

fn desk() -> (App, Gate, mpsc::UnboundedReceiver<u32>) {
    let (began, seen) = mpsc::unbounded_channel();
    let gate = Gate { began, pass: Arc::new(Semaphore::new(0)), ids: Arc::default() };
    let app = App::builder().flow(Desk).provide(gate.clone()).build().unwrap();
    (app, gate, seen)
}

#[tokio::test]
async fn queued_calls_run_in_order_one_at_a_time() {
    let (app, gate, mut seen) = desk();
    let call = |n| tokio::spawn(app.request().session("s").call(Desk::queued, n));
    let calls: Vec<_> = (0..4).map(call).collect();
    for n in 0..4 {
        assert_eq!(seen.recv().await, Some(n));
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        assert!(seen.try_recv().is_err(), "{n} has not ended");
        gate.pass.add_permits(1);
    }
    for (n, call) in (0..).zip(calls) {
        assert_eq!(call.await.unwrap().unwrap(), n);
    }
}

#[tokio::test]
async fn a_rejecting_action_fails_while_the_session_is_busy() {
    let (app, gate, mut seen) = desk();
    let holder = tokio::spawn(app.request().session("s").call(Desk::queued, 1));
    assert_eq!(seen.recv().await, Some(1));
    let error = app.request().session("s").call(Desk::refused, 2).await.unwrap_err();
    assert_eq!((error.code(), error.retryable()), ("action_busy", true));
    let id = gate.ids.lock().unwrap()[0].clone();
    assert_eq!(error.to_string(), format!("the session `s` is busy: the request {id} runs in it"));
    let named = app.request().session("s").call_named("desk", "refused", json!(2)).await;
    assert_eq!(named.unwrap_err().code(), "action_busy");

    // other sessions, requests without one, and actions that allow it do not wait
    gate.pass.add_permits(4);
    assert_eq!(app.request().session("t").call(Desk::refused, 3).await.unwrap(), 3);
    assert_eq!(app.request().call(Desk::refused, 4).await.unwrap(), 4);
    let mut free = app.request().session("s").call(Desk::allowed, 5).boxed();
    // (the holder may take a permit first)
    gate.pass.add_permits(1);
    assert_eq!((&mut free).await.unwrap(), 5);
    holder.await.unwrap().unwrap();
    gate.pass.add_permits(1);
    assert_eq!(app.request().session("s").call(Desk::refused, 6).await.unwrap(), 6);
}

#[tokio::test]
async fn a_call_that_is_dropped_gives_up_its_turn() {
    let (app, gate, mut seen) = desk();
    let holder = tokio::spawn(app.request().session("s").call(Desk::queued, 1));
    assert_eq!(seen.recv().await, Some(1));
    let waiting = tokio::spawn(app.request().session("s").call(Desk::queued, 2));
    tokio::task::yield_now().await;
    let last = tokio::spawn(app.request().session("s").call(Desk::queued, 3));
    tokio::task::yield_now().await;
    waiting.abort();
    holder.abort();
    assert_eq!(seen.recv().await, Some(3));
    gate.pass.add_permits(1);
    assert_eq!(last.await.unwrap().unwrap(), 3);
}

#[tokio::test]
async fn the_definition_says_it() {
    use flowstate::app::Flow;
    use flowstate::schema::Concurrency::{Allow, Queue, Reject};
    let said: Vec<_> = Desk::DEF.actions.iter().map(|action| action.concurrency).collect();
    assert_eq!(said, [Allow, Allow, Queue, Reject]);
}
