//! Requests that end in other ways than their caller expects: cancelled, dropped, late, in a session that is gone, or in a
//! store that fails.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use flowstate::app::{Called, RequestInfo};
use flowstate::item::{Failure, Outcome};
use flowstate::prelude::*;
use flowstate::schema::Reach;
use flowstate::store::{Answer, Key, MemoryStore, Record, Store, Swap};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// What ran, and when it may go on.
#[derive(Clone)]
struct Stage {
    log: Arc<Mutex<Vec<String>>>,
    work: Arc<Semaphore>,
    end: Arc<Semaphore>,
}

impl Default for Stage {
    fn default() -> Self {
        let gate = |permits| Arc::new(Semaphore::new(permits));
        Self { log: Arc::default(), work: gate(0), end: gate(999) }
    }
}

impl Stage {
    fn add(&self, line: impl Into<String>) {
        self.log.lock().unwrap().push(line.into());
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

#[block(handler, needs = [Stage])]
async fn work(name: String, ctx: Ctx) -> Result<String> {
    ctx.message(format!("{name} begins"));
    ctx.needs.stage.add(format!("{name} begins"));
    ctx.needs.stage.work.acquire().await?.forget();
    Ok(name)
}

#[block(handler, needs = [Stage])]
async fn finished(called: Called, ctx: Ctx) -> Result<()> {
    let Called { action, outcome, .. } = called;
    ctx.needs.stage.end.acquire().await?.forget();
    ctx.needs.stage.add(match outcome {
        Some(Outcome::Completed) => format!("{action} completed"),
        Some(Outcome::Cancelled) => format!("{action} cancelled"),
        Some(Outcome::Failed { code, .. }) => format!("{action} failed: {code}"),
        other => format!("{action}: {other:?}"),
    });
    Ok(())
}

#[block(handler, needs = [Stage])]
async fn errored(failure: Failure, ctx: Ctx) -> Result<()> {
    ctx.needs.stage.add(format!("errored: {}", failure.code));
    Ok(())
}

flow! {
    #[flow(on_finished = finished, on_errored = errored)]
    struct Desk {
        #[action(user_message = |name: &String| name.clone())]
        pub work: work,
        #[action(concurrency = queue, wait = "1s")]
        pub next: work,
    }
}

fn desk() -> (App, Stage) {
    let stage = Stage::default();
    (App::builder().flow(Desk).provide(stage.clone()).build().unwrap(), stage)
}

fn ada(app: &App) -> flowstate::app::RequestBuilder {
    app.request().user("ada").session("s")
}

async fn requests(app: &App) -> Vec<RequestInfo> {
    app.sessions().user("ada").get("s").await.unwrap().requests().await.unwrap()
}

async fn outcomes(app: &App) -> Vec<Option<Outcome>> {
    requests(app).await.into_iter().map(|one| one.outcome).collect()
}

/// Polls something once; it must not be ready.
async fn begin<F: Future + Unpin>(future: &mut F) {
    poll_fn(|cx| {
        assert!(std::pin::Pin::new(&mut *future).poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    let (app, stage) = desk();
    let mut call = Box::pin(ada(&app).call(Desk::work, "one".into()));
    begin(&mut call).await;
    assert_eq!(outcomes(&app).await, [None]);
    drop(call);
    app.shutdown().await;
    assert_eq!(stage.log(), ["one begins", "work cancelled"], "no failure, so no `on_errored`");
    assert_eq!(outcomes(&app).await, [Some(Outcome::Cancelled)]);
    let history = app.sessions().user("ada").get("s").await.unwrap().history(9).await.unwrap();
    assert_eq!(
        history.iter().map(flowstate::model::Message::text).collect::<Vec<_>>(),
        ["one", "one begins"],
        "what was said was said"
    );
}

#[tokio::test]
async fn cancel_returns_when_all_of_the_end_is_done() {
    let (app, stage) = desk();
    // the second one is cancelled before it was ever polled
    for polled in [true, false] {
        let run = ada(&app).start(Desk::work, "one".into()).await.unwrap();
        while polled && stage.log().is_empty() {
            tokio::task::yield_now().await;
        }
        run.cancel().await;
        assert_eq!(outcomes(&app).await.last(), Some(&Some(Outcome::Cancelled)));
    }
    let run = ada(&app).start_named("desk", "work", json!("one")).await.unwrap();
    run.cancel().await;
    assert_eq!(stage.log(), ["one begins", "work cancelled", "work cancelled", "work cancelled"]);
    assert_eq!(outcomes(&app).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_turn_lasts_until_the_cancelled_request_has_ended() {
    let (app, stage) = desk();
    let _ = stage.end.forget_permits(999);
    let call = |name: &str| ada(&app).call(Desk::next, name.into());
    timeout(Duration::from_millis(1), call("one")).await.unwrap_err();
    let mut two = Box::pin(call("two"));
    // its end waits at the gate
    timeout(Duration::from_millis(1), &mut two).await.unwrap_err();
    assert_eq!(stage.log(), ["one begins"]);
    stage.end.add_permits(1);
    timeout(Duration::from_millis(1), &mut two).await.unwrap_err();
    assert_eq!(stage.log(), ["one begins", "next cancelled", "two begins"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_had_its_turn_ends_as_others_do() {
    let (app, stage) = desk();
    let call = |name: &str| ada(&app).call(Desk::next, name.into());
    let mut one = Box::pin(call("one"));
    begin(&mut one).await;
    // dropped in the line
    timeout(Duration::from_millis(1), call("two")).await.unwrap_err();
    let error = call("three").await.unwrap_err();
    assert_eq!(error.code(), "queue_timeout");
    stage.work.add_permits(1);
    assert_eq!(one.await.unwrap(), "one");
    app.shutdown().await;
    let told = [
        "one begins",
        "next cancelled",
        "errored: queue_timeout",
        "next failed: queue_timeout",
        "next completed",
    ];
    assert_eq!(stage.log(), told);
    let outcomes = outcomes(&app).await;
    assert_eq!(outcomes[0], Some(Outcome::Cancelled));
    assert!(matches!(&outcomes[1], Some(Outcome::Failed { code, .. }) if code == "queue_timeout"));
    assert_eq!(outcomes[2], Some(Outcome::Completed));
}

#[tokio::test]
async fn what_is_settled_stays_so_where_the_call_is_dropped_in_its_last_hook() {
    let (app, stage) = desk();
    let _ = stage.end.forget_permits(999);
    stage.work.add_permits(1);
    let mut call = Box::pin(ada(&app).call(Desk::work, "one".into()));
    begin(&mut call).await;
    drop(call);
    stage.end.add_permits(1);
    app.shutdown().await;
    assert_eq!(outcomes(&app).await, [Some(Outcome::Completed)]);
    assert_eq!(stage.log(), ["one begins"], "a hook that was dropped does not run again");
}

#[test]
fn a_call_may_be_dropped_after_its_runtime() {
    let (app, _) = desk();
    let mut call = Box::pin(ada(&app).call(Desk::work, "one".into()));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(begin(&mut call));
    drop(runtime);
    drop(call);
}

/// A store that counts, and fails where it is told to.
#[derive(Clone, Default)]
struct Watched {
    inner: MemoryStore,
    asked: Arc<Mutex<Vec<String>>>,
    /// Swaps of keys with this in it fail.
    fails: Arc<Mutex<Option<&'static str>>>,
    now: Arc<Mutex<HashMap<Key, Value>>>,
}

impl Watched {
    fn asked(&self) -> Vec<String> {
        let short = |asked: String| asked.split('/').next().unwrap().to_owned();
        std::mem::take(&mut *self.asked.lock().unwrap()).into_iter().map(short).collect()
    }

    fn kept(&self) -> Vec<(String, Value)> {
        let now = self.now.lock().unwrap();
        let mut kept: Vec<_> =
            now.iter().map(|(key, value)| (key.state.to_string(), value.clone())).collect();
        kept.sort_by(|a, b| a.0.cmp(&b.0));
        kept
    }
}

impl Store for Watched {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        self.asked.lock().unwrap().push(format!("load {}", key.state));
        self.inner.load(key)
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        self.asked.lock().unwrap().push(format!("swap {}", key.state));
        if self.fails.lock().unwrap().is_some_and(|part| key.state.contains(part)) {
            return Box::pin(async { Err("the disk is full".into()) });
        }
        Box::pin(async move {
            let done = self.inner.swap(key, expected, value.clone()).await?;
            if let Swap::Done(_) = done {
                self.now.lock().unwrap().insert(key.clone(), value);
            }
            Ok(done)
        })
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        self.now.lock().unwrap().retain(|key, _| key.reach != reach || key.id != id);
        self.inner.remove(reach, id)
    }
}

fn watched() -> (App, Stage, Watched) {
    let (stage, store) = (Stage::default(), Watched::default());
    stage.work.add_permits(99);
    let app = App::builder().flow(Desk).provide(stage.clone()).store(store.clone());
    (app.build().unwrap(), stage, store)
}

#[tokio::test]
async fn a_request_whose_end_cannot_be_noted_gives_its_output() {
    let (app, stage, store) = watched();
    ada(&app).call(Desk::work, "one".into()).await.unwrap();
    for part in ["!request", "!session"] {
        *store.fails.lock().unwrap() = Some(part);
        assert_eq!(ada(&app).call(Desk::work, "two".into()).await.unwrap(), "two");
        let run = ada(&app).start(Desk::work, "three".into()).await.unwrap();
        assert_eq!(run.output().await.unwrap(), "three");
    }
    *store.fails.lock().unwrap() = None;
    assert_eq!(stage.log().iter().filter(|line| *line == "work completed").count(), 5);
    assert_eq!(requests(&app).await.len(), 1, "they are not noted");
    ada(&app).call(Desk::work, "four".into()).await.unwrap();
    assert_eq!(requests(&app).await.len(), 2, "and nothing is broken by it");

    // of two of them a record was written, and only that of the session was not: a crash between the two leaves the same
    let session = app.sessions().user("ada").get("s").await.unwrap();
    let kept = store.kept();
    let kept: Vec<_> = kept.iter().filter_map(|(key, _)| key.strip_prefix("!request/")).collect();
    assert_eq!((kept.len(), session.history(99).await.unwrap().len()), (4, 4));
    for id in kept {
        let found = session.request(id).await.unwrap().unwrap();
        assert_eq!(found.outcome, Some(Outcome::Completed));
    }
    session.delete().await.unwrap();
    assert_eq!(store.kept(), [("!sessions".to_owned(), json!({ "sessions": [] }))]);
}

#[tokio::test]
async fn a_request_asks_the_store_four_times_beside_its_states() {
    let (app, _, store) = watched();
    let first = [
        "load !session",
        "load !sessions",
        "swap !sessions",
        "swap !session",
        "load !session",
        "swap !request",
        "swap !session",
    ];
    let again = [first[0], first[4], first[5], first[6]];
    ada(&app).call(Desk::work, "one".into()).await.unwrap();
    assert_eq!(store.asked(), first);
    ada(&app).call(Desk::work, "two".into()).await.unwrap();
    assert_eq!(store.asked(), again);
    app.request().call(Desk::work, "three".into()).await.unwrap();
    assert!(store.asked().is_empty(), "one without a session asks nothing");
}

#[tokio::test]
async fn nothing_is_left_of_a_session_that_is_deleted_while_it_is_used() {
    let (app, stage, store) = watched();
    let _ = stage.work.forget_permits(99);
    let run = ada(&app).start(Desk::work, "one".into()).await.unwrap();
    app.sessions().user("ada").get("s").await.unwrap().delete().await.unwrap();
    stage.work.add_permits(1);
    assert_eq!(run.output().await.unwrap(), "one");
    assert_eq!(store.kept(), [("!sessions".to_owned(), json!({ "sessions": [] }))]);

    // and another's session of that name is not told
    let run = ada(&app).start(Desk::work, "two".into()).await.unwrap();
    app.sessions().user("ada").get("s").await.unwrap().delete().await.unwrap();
    stage.work.add_permits(1);
    let bob = app.request().user("bob").session("s");
    bob.call(Desk::work, "bob's".into()).await.unwrap();
    stage.work.add_permits(1);
    run.output().await.unwrap();
    let session = app.sessions().user("bob").get("s").await.unwrap();
    assert_eq!(session.requests().await.unwrap().len(), 1);
    assert_eq!(session.history(9).await.unwrap()[0].text(), "bob's");
}

#[tokio::test]
async fn a_list_of_sessions_that_cannot_be_read_is_put_aside() {
    let (app, _, store) = watched();
    let key = Key::new(Reach::User, "ada", "!sessions");
    store.swap(&key, None, json!("oops")).await.unwrap();
    ada(&app).call(Desk::work, "one".into()).await.unwrap();
    let kept = store.kept();
    let of = |state: &str| &kept.iter().find(|(known, _)| known == state).unwrap().1;
    assert_eq!(of("!sessions!quarantine"), &json!(["oops"]));
    assert_eq!(of("!sessions"), &json!({ "sessions": [[null, "s"]] }));
    assert_eq!(app.sessions().user("ada").list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_journal_grows_by_pages() {
    let (app, _, store) = watched();
    ada(&app).call(Desk::work, "one".into()).await.unwrap();
    let session = app.sessions().user("ada").get("s").await.unwrap();
    let adds = (0..20).map(|of| {
        let session = session.clone();
        tokio::spawn(async move {
            for n in 0..15 {
                session.add_to_journal(format!("{of} {n}")).await.unwrap();
            }
        })
    });
    for add in adds.collect::<Vec<_>>() {
        add.await.unwrap();
    }
    let journal = session.journal().await.unwrap();
    assert_eq!(journal.len(), 300);
    for of in 0..20 {
        let of = format!("{of} ");
        let own = journal.iter().filter_map(|line| line.text.strip_prefix(&of));
        assert!(own.eq((0..15).map(|n| n.to_string())), "each one's lines are in order");
    }
    let pages = store.kept().into_iter().filter(|(key, _)| key.starts_with("!journal"));
    let lines: Vec<_> = pages.map(|(_, page)| page.as_array().unwrap().len()).collect();
    assert_eq!(lines, [64, 64, 64, 64, 44]);
    // the newest page is known, and the others are left alone
    store.asked();
    session.add_to_journal("last").await.unwrap();
    assert_eq!(store.asked(), ["load !session", "load !journal", "swap !journal"]);
    session.delete().await.unwrap();
}

#[tokio::test]
async fn a_list_in_memory_has_the_sessions_that_are_there() {
    let stage = Stage::default();
    stage.work.add_permits(999);
    let app = App::builder().flow(Desk).provide(stage).keep_in_memory(8).build().unwrap();
    for n in 0..100 {
        let request = app.request().user("ada").session(n.to_string());
        request.call(Desk::work, "x".into()).await.unwrap();
        let ids: Vec<_> = app.sessions().user("ada").list().await.unwrap();
        let ids: Vec<_> = ids.into_iter().map(|session| session.id).collect();
        let newest = (0..=n).map(|n| n.to_string()).skip(n + 1 - ids.len());
        assert!(ids.len() >= 6.min(n + 1) && ids.len() < 8, "{ids:?}");
        assert!(newest.eq(ids), "none is missing");
    }
}

#[tokio::test]
async fn a_session_in_memory_is_not_forgotten_while_a_request_of_it_runs() {
    let stage = Stage::default();
    let app = App::builder().flow(Desk).provide(stage.clone()).keep_in_memory(8).build().unwrap();
    let run = ada(&app).start(Desk::work, "one".into()).await.unwrap();
    for n in 0..100 {
        let request = app.request().user("bob").session(n.to_string());
        timeout(Duration::ZERO, request.call(Desk::work, "x".into())).await.unwrap_err();
    }
    stage.work.add_permits(1);
    assert_eq!(run.output().await.unwrap(), "one");
    assert_eq!(outcomes(&app).await, [Some(Outcome::Completed)]);
    assert_eq!(app.sessions().user("ada").list().await.unwrap().len(), 1);
}

#[block(handler)]
async fn broken(called: Called) -> Result<()> {
    panic!("`{}` has ended", called.action)
}

#[block(handler)]
async fn broken_too(failure: Failure) -> Result<()> {
    panic!("{}", failure.code)
}

#[block(handler)]
async fn wait_or_fail(fail: bool) -> Result<()> {
    if fail {
        return Err(Error::with_code("no", "no"));
    }
    std::future::pending().await
}

flow! {
    #[flow(on_finished = broken, on_errored = broken_too)]
    struct Fragile {
        #[action(concurrency = queue)]
        pub wait: wait_or_fail,
    }
}

#[tokio::test]
async fn hooks_that_panic_leave_the_end_whole() {
    let app = App::builder().flow(Fragile).build().unwrap();
    let failed = ada(&app).call(Fragile::wait, true).await.unwrap_err();
    assert_eq!(failed.code(), "no");
    let mut call = Box::pin(ada(&app).call(Fragile::wait, false));
    begin(&mut call).await;
    drop(call);
    app.shutdown().await;
    let [Some(Outcome::Failed { .. }), Some(Outcome::Cancelled)] = &outcomes(&app).await[..] else {
        panic!("{:?}", outcomes(&app).await)
    };
    // its turn is over
    ada(&app).call(Fragile::wait, true).await.unwrap_err();
}
