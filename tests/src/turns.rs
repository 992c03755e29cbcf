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

async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

flow! {
    #[flow(concurrency = queue, key = user, wait = "5s")]
    struct Lines {
        pub default: work,
        #[action(concurrency = reject)]
        pub own: work,
        #[action(concurrency = hold)]
        pub hold: work,
        #[action(concurrency = defer)]
        pub defer: work,
        #[action(concurrency = reject, key = parity)]
        pub parity: work,
        #[action(concurrency = reject, key = none)]
        pub nobody: work,
        #[action(concurrency = queue, wait = "2s")]
        pub queued: work,
        #[action(concurrency = allow)]
        pub allowed: work,
    }
}

fn parity(n: &u32, who: &flowstate::Who) -> Option<String> {
    (who.user.as_deref() != Some("free")).then(|| format!("{}", n % 2))
}

fn lines() -> (App, Gate, mpsc::UnboundedReceiver<u32>) {
    let (began, seen) = mpsc::unbounded_channel();
    let gate = Gate { began, pass: Arc::new(Semaphore::new(0)), ids: Arc::default() };
    let app = App::builder().flow(Lines).provide(gate.clone()).build().unwrap();
    (app, gate, seen)
}

#[tokio::test]
async fn a_flow_says_it_for_the_actions_that_do_not() {
    use flowstate::schema::{Concurrency, TurnKey};
    let default = Lines::DEF.actions[0];
    assert_eq!((default.concurrency, default.key), (Concurrency::Queue, TurnKey::User));
    assert_eq!(default.wait.as_secs(), 5);
    let own = Lines::DEF.actions[1];
    assert_eq!((own.concurrency, own.key), (Concurrency::Reject, TurnKey::Session), "whole");
    assert_eq!(own.wait.as_secs(), 30);
}

#[tokio::test]
async fn a_line_of_a_user_is_none_of_a_session_or_of_another_tenant() {
    let (app, gate, mut seen) = lines();
    let one = tokio::spawn(app.request().user("x").call(Lines::default, 1));
    assert_eq!(seen.recv().await, Some(1));
    gate.pass.add_permits(1);
    // the session `x`, and what a function gives, have lines of their own
    let holder = tokio::spawn(app.request().session("x").call(Lines::hold, 2));
    assert_eq!(seen.recv().await, Some(2));
    let refused = app.request().session("x").call(Lines::own, 3).await;
    assert_eq!(refused.unwrap_err().code(), "action_busy");
    gate.pass.add_permits(3);
    one.await.unwrap().unwrap();
    assert_eq!(app.request().tenant("t").session("x").call(Lines::own, 4).await.unwrap(), 4);
    holder.await.unwrap().unwrap();
    gate.pass.add_permits(1);
    assert_eq!(app.request().session("x").call(Lines::nobody, 5).await.unwrap(), 5);
}

#[tokio::test]
async fn a_function_gives_the_line() {
    let (app, gate, mut seen) = lines();
    let odd = tokio::spawn(app.request().call(Lines::parity, 1));
    assert_eq!(seen.recv().await, Some(1));
    let error = app.request().call(Lines::parity, 3).await.unwrap_err();
    assert!(error.to_string().starts_with("`1` of the flow `lines` is busy: the request "));
    let even = tokio::spawn(app.request().call(Lines::parity, 2));
    assert_eq!(seen.recv().await, Some(2));
    let free = tokio::spawn(app.request().user("free").call(Lines::parity, 5));
    assert_eq!(seen.recv().await, Some(5), "`None` is no line");
    gate.pass.add_permits(3);
    for call in [odd, even, free] {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_queued_call_waits_so_long_and_says_for_whom() {
    let (app, gate, mut seen) = lines();
    let call = |action, n| tokio::spawn(app.request().session("s").call(action, n));
    let holder = call(Lines::queued, 1);
    assert_eq!(seen.recv().await, Some(1));
    let start = tokio::time::Instant::now();
    let late = call(Lines::queued, 2).await.unwrap().unwrap_err();
    assert_eq!((late.code(), start.elapsed().as_secs()), ("queue_timeout", 2));
    let id = gate.ids.lock().unwrap()[0].clone();
    assert_eq!(
        late.to_string(),
        format!("no turn in the session `s` for 2s: the request {id} runs")
    );
    // its place is given up
    gate.pass.add_permits(1);
    holder.await.unwrap().unwrap();
    let refused = call(Lines::own, 3);
    assert_eq!(seen.recv().await, Some(3));
    gate.pass.add_permits(1);
    refused.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_that_holds_runs_at_once_and_others_wait_for_it() {
    let (app, gate, mut seen) = lines();
    let call = |action, n| tokio::spawn(app.request().session("s").call(action, n));
    let first = call(Lines::queued, 1);
    assert_eq!(seen.recv().await, Some(1));
    let holds = call(Lines::hold, 2);
    assert_eq!(seen.recv().await, Some(2), "it waits for nobody");
    let free = call(Lines::allowed, 3);
    assert_eq!(seen.recv().await, Some(3));
    let refused = call(Lines::own, 4).await.unwrap();
    assert_eq!(refused.unwrap_err().code(), "action_busy");
    let queued = call(Lines::queued, 5);
    settle().await;
    gate.pass.add_permits(3);
    for call in [first, holds, free] {
        call.await.unwrap().unwrap();
    }
    assert_eq!(seen.recv().await, Some(5));
    gate.pass.add_permits(1);
    queued.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_that_defers_lets_others_go_first_and_then_stands_in_the_line() {
    let (app, gate, mut seen) = lines();
    let call = |action, n| tokio::spawn(app.request().session("s").call(action, n));
    let first = call(Lines::queued, 1);
    assert_eq!(seen.recv().await, Some(1));
    let deferred = call(Lines::defer, 2);
    settle().await;
    let second = call(Lines::queued, 3);
    settle().await;
    gate.pass.add_permits(1);
    first.await.unwrap().unwrap();
    assert_eq!(seen.recv().await, Some(3), "a later one went first");
    tokio::time::sleep(std::time::Duration::from_secs(31)).await;
    let last = call(Lines::queued, 4);
    settle().await;
    gate.pass.add_permits(1);
    second.await.unwrap().unwrap();
    assert_eq!(seen.recv().await, Some(2), "after 30 s it has its place");
    gate.pass.add_permits(2);
    deferred.await.unwrap().unwrap();
    last.await.unwrap().unwrap();
}

/// Calls an action of its own session.
#[block(handler, needs = [Arc<std::sync::OnceLock<App>>])]
async fn calls_itself(depth: u32, ctx: Ctx) -> Result<u32> {
    let app = ctx.needs.arc.get().unwrap();
    if depth == 0 {
        return Ok(0);
    }
    let session = if depth == 2 { "s" } else { "t" };
    Box::pin(app.request().session(session).call(Nested::again, depth - 1)).await
}

flow! {
    struct Nested {
        #[action(concurrency = queue)]
        pub again: calls_itself,
    }
}

#[tokio::test]
async fn an_action_that_would_wait_for_its_own_caller_fails_at_once() {
    let known = Arc::new(std::sync::OnceLock::new());
    let app = App::builder().flow(Nested).provide(known.clone()).build().unwrap();
    known.set(app.clone()).unwrap();
    let call = |depth| app.request().session("s").call(Nested::again, depth);
    // s, then t
    assert_eq!(call(1).await.unwrap(), 0);
    // s, then s
    let error = call(2).await.unwrap_err();
    assert_eq!(error.code(), "queue_deadlock");
    assert_eq!(
        error.to_string(),
        "`again` would wait for ever: it is called by a request that has its turn in the session `s` itself"
    );
    assert_eq!(call(1).await.unwrap(), 0, "the line is free again");
}
