//! `wait_for_condition`: until the items of the request are as a predicate wants them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use flowstate::item::{Change, Item, Items};
use flowstate::prelude::*;
use flowstate::sequence::Waited;
use futures_util::StreamExt as _;
use tokio::time::{Instant, sleep};

/// When the test began, and what blocks noted.
#[derive(Clone)]
struct Log(Instant, Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, text: impl Into<String>) {
        self.1.lock().unwrap().push(text.into());
    }

    fn all(&self) -> Vec<String> {
        std::mem::take(&mut self.1.lock().unwrap())
    }
}

fn app() -> (App, Log) {
    let log = Log(Instant::now(), Arc::default());
    (App::builder().flow(Waiting).provide(log.clone()).build().unwrap(), log)
}

/// Says one line a second, `n` times.
#[block(handler)]
async fn speaker(n: u32, ctx: Ctx) -> Result<()> {
    for i in 1..=n {
        sleep(Duration::from_secs(1)).await;
        ctx.status(format!("line {i}"));
        ctx.message(format!("{i}"));
    }
    Ok(())
}

/// At which second of the test, and whether the time was over.
#[block(handler, needs = [Log])]
async fn second((_, waited): (u32, Waited), ctx: Ctx) -> Result<(u64, bool)> {
    Ok((ctx.needs.log.0.elapsed().as_secs(), waited.timed_out))
}

#[block(sequencer)]
fn third(n: u32) -> (u64, bool) {
    n.side_chain(speaker)
        .wait_for_condition(|items| items.status() == "line 3", timeout = "5s")
        .step(second)
}

#[block(sequencer)]
fn outer(n: u32) -> (u64, bool) {
    n.step(third)
}

flow! {
    #[flow(kind = "waiting")]
    struct Waiting {
        outer: outer,
    }
}

#[tokio::test(start_paused = true)]
async fn it_goes_on_as_soon_as_the_condition_holds() {
    assert_eq!(app().0.run(third, 4).await.unwrap(), (3, false));
    assert_eq!(app().0.run(third, 2).await.unwrap(), (5, true), "the time is over");
}

#[tokio::test(start_paused = true)]
async fn with_a_listener_or_one_that_goes_away() {
    let run = app().0.start(third, 4).await.unwrap();
    let items: Vec<_> = run.collect().await;
    assert_eq!(items.iter().filter(|item| item.message().is_some()).count(), 4);

    let mut run = app().0.start(third, 4).await.unwrap();
    assert!(run.next().await.is_some());
    assert_eq!(run.output().await.unwrap(), (3, false));
}

#[tokio::test(start_paused = true)]
async fn it_may_be_anywhere_in_the_tree() {
    assert_eq!(app().0.run(outer, 4).await.unwrap(), (3, false));
    let (app, _) = app();
    assert_eq!(app.request().call(Waiting::outer, 4).await.unwrap(), (3, false));
    let log = Log(Instant::now(), Arc::default());
    let tested = flowstate::test(outer).provide(log).run(4).await.unwrap();
    assert_eq!(tested.output, (3, false));
}

#[block(handler)]
async fn greet(name: String, ctx: Ctx) -> Result<String> {
    ctx.message(format!("hello, {name}"));
    Ok(name)
}

fn greeted(items: &Items) -> bool {
    items.has_message_of("greet")
}

#[block(sequencer)]
fn before(name: String) -> (String, Waited) {
    name.step(greet).wait_for_condition(greeted, timeout = "1h")
}

#[tokio::test(start_paused = true)]
async fn what_came_before_counts() {
    let begun = Instant::now();
    let (name, waited) = flowstate::run(before, "you".to_owned()).await.unwrap();
    assert_eq!((name.as_str(), waited), ("you", Waited::new(false)));
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

/// All that can happen to an item.
#[block(handler)]
async fn busy(_: u32, ctx: Ctx) -> Result<()> {
    // (so that the wait has begun)
    sleep(Duration::from_secs(1)).await;
    let mut text = ctx.message_stream();
    text.push("a");
    text.push("b");
    text.finish();
    let mut work = ctx.container("work");
    work.describe(7)?;
    ctx.keyed_component("bar", "progress", 1)?;
    ctx.keyed_component("bar", "progress", 2)?;
    work.finish();
    Ok(())
}

/// The items in short: the text of each message, the data of each component.
fn short(items: &Items) -> String {
    let one = |item: &Arc<Item>| match (item.message(), item.component()) {
        (Some(text), _) => format!("{text:?}"),
        (_, Some(part)) => part.data.to_string(),
        _ => "work".into(),
    };
    items.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[block(sequencer, needs = [Log])]
fn counted(n: u32) -> (u32, Waited) {
    n.side_chain(busy).wait_for_condition(
        |items, ctx| {
            ctx.needs.log.note(short(items));
            false
        },
        timeout = "5s",
    )
}

fn done(_: &Item, change: Change) -> bool {
    change == Change::Done
}

#[block(sequencer, needs = [Log])]
fn counted_done(n: u32) -> (u32, Waited) {
    n.side_chain(busy).wait_for_condition(
        |items, ctx| {
            ctx.needs.log.note(short(items));
            items.component("progress").is_some() && items.keyed("bar").is_some()
        },
        timeout = "5s",
        wake_on = done,
    )
}

#[tokio::test(start_paused = true)]
async fn it_is_asked_once_for_each_event_and_sees_each_state() {
    let (app, log) = app();
    app.run(counted, 1).await.unwrap();
    let all = [
        "",
        r#""""#,
        r#""a""#,
        r#""ab""#,
        r#""ab""#,
        r#""ab" work"#,
        r#""ab" work"#,
        r#""ab" work 1"#,
        r#""ab" work 2"#,
        r#""ab" work 2"#,
    ];
    assert_eq!(log.all(), all);
    assert!(!app.run(counted_done, 1).await.unwrap().1.timed_out);
    assert_eq!(log.all(), ["", r#""ab""#, r#""ab" work 1"#]);
}

#[block(sequencer)]
fn panics(n: u32) -> (u32, Waited) {
    n.side_chain(speaker).wait_for_condition(
        |items| {
            assert!(items.is_empty(), "there are {}", items.len());
            false
        },
        timeout = "5s",
    )
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_predicate_is_the_sequencers() {
    let error = flowstate::run(panics, 2).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("block_panicked", "panics"));
    assert_eq!(error.to_string(), "the block panicked: there are 1");
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_request_ends_it() {
    let run = app().0.start(third, 1).await.unwrap();
    sleep(Duration::from_secs(2)).await;
    let begun = Instant::now();
    run.cancel().await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

async fn line(n: u32, ctx: &Ctx<'_, written>) -> Waited {
    let line = format!("{n}");
    let said = move |items: &Items| items.of("speaker").any(|item| item.message() == Some(&line));
    ctx.wait_for_condition(said, Duration::from_secs(2)).await
}

#[block(sequencer, needs = [Log])]
async fn written(n: u32, ctx: Ctx) -> Result<Vec<(u64, bool)>> {
    ctx.side_chain(speaker, n);
    let mut all = Vec::new();
    let asked = Mutex::new(0);
    let waited = ctx
        .wait_for_condition(
            |_| {
                *asked.lock().unwrap() += 1;
                false
            },
            Duration::from_millis(1500),
        )
        .wake_on(|item, _| item.message().is_some())
        .await;
    assert_eq!(*asked.lock().unwrap(), 2, "at once, and for one message");
    all.push((ctx.needs.log.0.elapsed().as_secs(), waited.timed_out));
    for n in [3, 9] {
        let waited = line(n, &ctx).await;
        all.push((ctx.needs.log.0.elapsed().as_secs(), waited.timed_out));
    }
    Ok(all)
}

#[tokio::test(start_paused = true)]
async fn of_an_async_sequencer_and_its_helpers() {
    assert_eq!(app().0.run(written, 4).await.unwrap(), [(1, true), (3, false), (5, true)]);
}
