//! What tasks do to each other, in ten thousand random orders each:
//! `RUSTFLAGS="--cfg shuttle" cargo test -p flowstate --test schedules --target-dir target/shuttle`.
#![cfg(shuttle)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use flowstate::item::{Event, EventKind, Outcome, Status, fold};
use flowstate::prelude::*;
use futures_util::StreamExt as _;
use shuttle::future::{block_on, yield_now};

/// Each ends with `shutdown`: a task that shuttle drops half-way must not wait for what another one holds.
fn in_every_order<F: Future<Output = ()>>(test: impl Fn() -> F + Send + Sync + 'static) {
    shuttle::check_random(move || block_on(test()), 10_000);
}

async fn all<O>(run: &mut flowstate::app::Run<O>) -> Vec<Event> {
    let events: Vec<_> = run.events().collect().await;
    for (event, number) in events.iter().zip(1..) {
        assert_eq!(event.sequence, number, "no event is missing, and none came twice");
    }
    let ended = |event: &&Event| matches!(event.kind, EventKind::Ended(_));
    assert_eq!(events.iter().filter(ended).count(), 1);
    assert_eq!(events.last().map(|event| &event.kind), Some(&EventKind::Ended(Outcome::Completed)));
    events
}

// state

#[state]
struct Tally {
    count: u32,
    list: Vec<u32>,
    same: bool,
}

#[state]
struct Other {
    other: u32,
}

#[block(handler, parent = Tally)]
async fn count(n: u32, ctx: Ctx) -> Result<()> {
    assert!(ctx.parent.count.inc(1)?);
    assert!(!ctx.parent.same.set(false)?);
    assert!(ctx.parent.update(|tally| {
        tally.count += 1;
        tally.list.push(n);
    })?);
    assert!(ctx.parent.count.update(|count| *count += 1)?);
    Ok(())
}

#[block(sequencer, state = Tally)]
fn counting(input: u32) -> Tally {
    input
        .side_chain(|_| 0, count)
        .side_chain(|_| 1, count)
        .side_chain(|_| 2, count)
        .wait_for_side_chain(fail_on_error = true)
        .map(|_, ctx| ctx.self_.get())
}

#[test]
fn no_write_is_lost_and_each_is_one_version() {
    in_every_order(|| async {
        let app = App::default();
        let mut run = app.start(counting, 0).await.unwrap();
        let events = all(&mut run).await;
        let versions = events.iter().filter_map(|event| match &event.kind {
            EventKind::Done(item) => match item.kind() {
                ItemKind::StateChange(change) => Some(change.version),
                _ => None,
            },
            _ => None,
        });
        assert_eq!(versions.collect::<Vec<_>>(), (1..=9).collect::<Vec<_>>());
        let mut tally = run.output().await.unwrap();
        tally.list.sort_unstable();
        assert_eq!((tally.count, tally.list), (9, vec![0, 1, 2]));
        app.shutdown().await;
    });
}

#[block(handler, session = Tally)]
async fn count_stored(n: u32, ctx: Ctx) -> Result<u32> {
    assert!(ctx.session.count.inc(1).await?);
    assert!(ctx.session.list.push(n).await?);
    assert!(ctx.session.update(|tally| tally.count += 1).await?);
    // never older than what this request has written
    assert!(ctx.session.list.with(|list| list.contains(&n)));
    Ok(ctx.session.count.get())
}

#[test]
fn requests_of_one_session_lose_no_write() {
    in_every_order(|| async {
        let app = App::default();
        let start = |n| app.request().session("s").start(count_stored, n);
        let runs = [start(0).await.unwrap(), start(1).await.unwrap(), start(2).await.unwrap()];
        let mut seen = Vec::new();
        for run in runs {
            seen.push(run.output().await.unwrap());
        }
        assert_eq!(seen.iter().max(), Some(&6), "the last to write has seen all: {seen:?}");
        app.shutdown().await;
    });
}

#[block(sequencer, session = Tally)]
fn storing(input: u32) -> u32 {
    input
        .side_chain(|_| 0, count_stored)
        .side_chain(|_| 1, count_stored)
        .wait_for_side_chain(fail_on_error = true)
        .map(|_, ctx| ctx.session.count.get())
}

#[test]
fn a_request_sees_the_last_of_its_own_writes() {
    in_every_order(|| async {
        let app = App::default();
        assert_eq!(app.run(storing, 0).await.unwrap(), 4);
        app.shutdown().await;
    });
}

#[block(handler, parent = Tally, sequencer = Other)]
async fn outside_in(_: u32, ctx: Ctx) -> Result<()> {
    ctx.parent.try_modify(|tally| {
        tally.count += 1;
        ctx.sequencer.other.inc(1).map(drop)
    })
}

#[block(handler, parent = Tally, sequencer = Other)]
async fn inside_out(_: u32, ctx: Ctx) -> Result<()> {
    ctx.sequencer.try_modify(|other| {
        other.other += 1;
        ctx.parent.count.inc(1).map(drop)
    })
}

#[block(sequencer, state = [Tally, Other])]
fn crossing(input: u32) -> (u32, u32) {
    input
        .side_chain(outside_in)
        .side_chain(inside_out)
        .side_chain(outside_in)
        .wait_for_side_chain()
        .map(|_, ctx| (ctx.self_.count.get(), ctx.self_.other.get()))
}

#[test]
fn updates_in_each_others_way_are_refused_and_not_left_waiting() {
    let refused = Arc::new(AtomicUsize::new(0));
    let noted = refused.clone();
    in_every_order(move || {
        let noted = noted.clone();
        async move {
            let app = App::default();
            let (count, other) = app.run(crossing, 0).await.unwrap();
            // who was refused may have written the inner one before; the outer one keeps its value
            assert!((1..=3).contains(&count) && (1..=3).contains(&other), "{count} {other}");
            noted.fetch_add(usize::from((count, other) != (3, 3)), Ordering::Relaxed);
            app.shutdown().await;
        }
    });
    assert!(refused.load(Ordering::Relaxed) > 0, "in no order they met");
}

// side chains

/// Who is at work, and how much was done.
#[derive(Clone, Default)]
struct Work {
    alive: Arc<AtomicUsize>,
    done: Arc<AtomicUsize>,
}

impl Work {
    fn alive(&self) -> usize {
        self.alive.load(Ordering::Relaxed)
    }

    fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }
}

struct Alive<'a>(&'a Work);

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

#[block(handler, needs = [Work])]
async fn work(_: u32, ctx: Ctx) -> Result<()> {
    ctx.needs.work.alive.fetch_add(1, Ordering::Relaxed);
    let _alive = Alive(ctx.needs.work);
    yield_now().await;
    ctx.needs.work.done.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

#[block(sequencer)]
fn last(input: u32) -> u32 {
    input.side_chain(work)
}

#[block(sequencer)]
fn middle(input: u32) -> u32 {
    input.side_chain(last).side_chain(work)
}

#[block(sequencer)]
fn first(input: u32) -> u32 {
    input.side_chain(middle).side_chain(last)
}

/// What `first` comes to.
const WORK: usize = 3;

fn app(work: &Work) -> App {
    App::builder().provide(work.clone()).build().unwrap()
}

#[test]
fn a_request_ends_when_no_side_chain_of_side_chains_is_left() {
    in_every_order(|| async {
        let work = Work::default();
        let app = app(&work);
        app.run(first, 0).await.unwrap();
        assert_eq!((work.done(), work.alive()), (WORK, 0));
        app.shutdown().await;
    });
}

#[test]
fn shutdown_returns_when_no_request_and_no_side_chain_is_left() {
    in_every_order(|| async {
        let work = Work::default();
        let app = app(&work);
        // nobody waits for the one, somebody for the other
        drop(app.start(first, 0).await.unwrap());
        let other = app.start(first, 1).await.unwrap();
        app.shutdown().await;
        assert_eq!((work.done(), work.alive()), (2 * WORK, 0));
        other.output().await.unwrap();
    });
}

#[test]
fn shutdown_waits_for_side_chains_of_requests_that_were_dropped() {
    let cut = Arc::new(AtomicUsize::new(0));
    let noted = cut.clone();
    in_every_order(move || {
        let noted = noted.clone();
        async move {
            let work = Work::default();
            let app = app(&work);
            let request = shuttle::future::spawn(app.run(first, 0));
            yield_now().await;
            request.abort();
            let dropped = request.await.is_err();
            app.shutdown().await;
            let done = work.done();
            assert_eq!(work.alive(), 0);
            noted.fetch_add(usize::from(dropped && done > 0), Ordering::Relaxed);
            yield_now().await;
            assert_eq!((work.done(), work.alive()), (done, 0), "nothing was left");
        }
    });
    assert!(cut.load(Ordering::Relaxed) > 0, "in no order it was dropped half-way");
}

#[test]
fn cancel_returns_when_nothing_is_alive_and_nothing_begins_after_it() {
    let cut = Arc::new(AtomicUsize::new(0));
    let noted = cut.clone();
    in_every_order(move || {
        let noted = noted.clone();
        async move {
            let work = Work::default();
            let app = app(&work);
            app.start(first, 0).await.unwrap().cancel().await;
            let done = work.done();
            assert_eq!(work.alive(), 0);
            noted.fetch_add(usize::from((1..WORK).contains(&done)), Ordering::Relaxed);
            app.shutdown().await;
            yield_now().await;
            assert_eq!((work.done(), work.alive()), (done, 0));
        }
    });
    assert!(cut.load(Ordering::Relaxed) > 0, "in no order it was cancelled half-way");
}

// events

#[block(handler)]
async fn say(n: u32, ctx: Ctx) -> Result<()> {
    for i in 0..4 {
        ctx.message(format!("{n}.{i}"));
    }
    Ok(())
}

#[block(sequencer)]
fn saying(input: u32) -> u32 {
    input.side_chain(|_| 0, say).side_chain(|_| 1, say).side_chain(|_| 2, say)
}

#[test]
fn each_item_comes_once_and_in_the_order_of_who_sent_it() {
    in_every_order(|| async {
        let app = App::default();
        let mut run = app.start(saying, 0).await.unwrap();
        let events = all(&mut run).await;
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (event, index) in events.iter().zip(0..) {
            let EventKind::Done(item) = &event.kind else { continue };
            assert_eq!(item.index, index, "items are numbered in the order in which they come");
            let ItemKind::Message(message) = item.kind() else { panic!("{item:?}") };
            let (who, nth) = message.text.split_once('.').unwrap();
            texts.entry(who.to_owned()).or_default().push(nth.to_owned());
        }
        assert_eq!(texts.len(), 3);
        assert!(texts.values().all(|nth| nth == &["0", "1", "2", "3"]), "{texts:?}");
        app.shutdown().await;
    });
}

const TEXT: &str = "abcdef";

#[block(handler)]
async fn tell(n: u32, ctx: Ctx) -> Result<()> {
    let mut text = ctx.message_stream();
    text.push(&n.to_string());
    for i in 0..TEXT.len() {
        text.push(&TEXT[i..=i]);
    }
    text.finish();
    Ok(())
}

#[block(sequencer)]
fn telling(input: u32) -> u32 {
    input.side_chain(|_| 0, tell).side_chain(|_| 1, tell)
}

#[test]
fn a_slow_listener_loses_text_and_is_told_how_much() {
    let lagged = Arc::new(AtomicUsize::new(0));
    let noted = lagged.clone();
    in_every_order(move || {
        let noted = noted.clone();
        async move {
            let app = App::default();
            let mut run = app.start(telling, 0).await.unwrap();
            let events = all(&mut run).await;
            let (mut came, mut lost) = (0, 0);
            let mut texts = [String::new(), String::new()];
            for event in &events {
                match &event.kind {
                    EventKind::Delta { index, text } => {
                        came += 1;
                        texts[usize::try_from(*index).unwrap()] += text;
                    }
                    EventKind::Lagged { lost: more } => lost += more,
                    _ => {}
                }
            }
            assert_eq!(came + lost, 2 * (1 + TEXT.len() as u64));
            for text in texts {
                let begun = text.is_empty() || TEXT.starts_with(&text[1..]);
                assert!(begun, "what an item has lost is lost to its end: {text}");
            }
            noted.fetch_add(usize::from(lost > 0), Ordering::Relaxed);
            let mut texts: Vec<_> = fold(&events)
                .into_iter()
                .map(|item| match item.kind() {
                    ItemKind::Message(message) => (item.status, message.text.clone()),
                    _ => panic!("{item:?}"),
                })
                .collect();
            texts.sort_by(|a, b| a.1.cmp(&b.1));
            let whole = [0, 1].map(|n| (Status::Completed, format!("{n}{TEXT}")));
            assert_eq!(texts, whole, "the items themselves are whole");
            app.shutdown().await;
        }
    });
    assert!(lagged.load(Ordering::Relaxed) > 0, "in no order the listener was slow");
}

#[test]
fn a_listener_may_leave_at_any_time() {
    in_every_order(|| async {
        let app = App::default();
        let mut run = app.start(saying, 0).await.unwrap();
        let mut seen = run.by_ref().take(2);
        assert!(seen.next().await.is_some());
        drop(run);
        app.shutdown().await;
    });
}

// turns

/// Who has begun, in order, and how many run at once.
#[derive(Clone, Default)]
struct Turns {
    began: Arc<std::sync::Mutex<Vec<u32>>>,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

struct Running(Turns);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Turns {
    fn began(&self) -> Vec<u32> {
        assert!(self.most.load(Ordering::SeqCst) <= 1, "two had their turn at once");
        assert_eq!(self.running.load(Ordering::SeqCst), 0);
        self.began.lock().unwrap().clone()
    }
}

#[block(handler, needs = [Turns])]
async fn turn(n: u32, ctx: Ctx) -> Result<u32> {
    let turns = ctx.needs.turns.clone();
    turns.began.lock().unwrap().push(n);
    let running = turns.running.fetch_add(1, Ordering::SeqCst) + 1;
    turns.most.fetch_max(running, Ordering::SeqCst);
    let _running = Running(turns);
    yield_now().await;
    Ok(n)
}

flow! {
    struct Line {
        #[action(concurrency = queue)]
        queued: turn,
        #[action(concurrency = reject)]
        alone: turn,
        #[action(concurrency = defer)]
        last: turn,
    }
}

fn line() -> (App, Turns) {
    let turns = Turns::default();
    (App::builder().flow(Line).provide(turns.clone()).build().unwrap(), turns)
}

/// Nobody is left in the line, so that there is room for one who must be alone.
async fn is_empty(app: &App) {
    app.shutdown().await;
    assert_eq!(app.request().session("s").call(Line::alone, 9).await.unwrap(), 9);
}

#[test]
fn a_line_is_first_come_first_served() {
    in_every_order(|| async {
        let (app, turns) = line();
        let mut runs = Vec::new();
        for n in 0..4 {
            runs.push(app.request().session("s").start(Line::queued, n).await.unwrap());
        }
        // awaited the other way round
        while let Some(run) = runs.pop() {
            run.output().await.unwrap();
        }
        assert_eq!(turns.began(), [0, 1, 2, 3]);
        is_empty(&app).await;
    });
}

#[test]
fn one_that_leaves_the_line_lets_the_next_come() {
    in_every_order(|| async {
        let (app, turns) = line();
        let start = |n| app.request().session("s").start(Line::queued, n);
        let [first, middle, last] =
            [start(0).await.unwrap(), start(1).await.unwrap(), start(2).await.unwrap()];
        // whether it waits, runs or has ended
        middle.cancel().await;
        first.output().await.unwrap();
        last.output().await.unwrap();
        assert!(matches!(turns.began()[..], [0, 2] | [0, 1, 2]));
        is_empty(&app).await;
    });
}

#[test]
fn one_that_is_to_be_alone_is_or_is_told_who_is_there() {
    in_every_order(|| async {
        let (app, turns) = line();
        let call = |n| {
            let call = app.request().session("s").call(Line::alone, n);
            shuttle::future::spawn(async move {
                call.await.map_err(|error| assert_eq!(error.code(), "action_busy"))
            })
        };
        let calls = [call(0), call(1), call(2)];
        let mut done = Vec::new();
        for call in calls {
            done.extend(call.await.unwrap());
        }
        let mut began = turns.began();
        began.sort_unstable();
        assert!(!began.is_empty());
        assert_eq!(done, began, "who began has ended, and who was told did not begin");
        is_empty(&app).await;
    });
}

#[test]
fn one_that_lets_others_go_first_comes_when_the_line_is_empty() {
    in_every_order(|| async {
        let (app, turns) = line();
        let start = |n| app.request().session("s").start(Line::queued, n);
        let [one, two] = [start(0).await.unwrap(), start(1).await.unwrap()];
        let last = app.request().session("s").start(Line::last, 2).await.unwrap();
        let other = app.request().session("s").start(Line::last, 3).await.unwrap();
        one.cancel().await;
        for run in [last, two, other] {
            run.output().await.unwrap();
        }
        let began = turns.began();
        let began = began.strip_prefix(&[0]).unwrap_or(&began);
        assert!(matches!(began, [1, 2, 3] | [1, 3, 2]), "{began:?}");
        is_empty(&app).await;
    });
}

// ends

#[test]
fn a_call_that_is_dropped_at_any_time_is_noted_once() {
    in_every_order(|| async {
        let (app, _) = line();
        let call = app.request().user("ada").session("s").call(Line::queued, 0);
        let task = shuttle::future::spawn(call);
        yield_now().await;
        task.abort();
        let done = task.await;
        app.request().user("ada").session("s").call(Line::queued, 1).await.unwrap();
        app.shutdown().await;
        let session = app.sessions().user("ada").get("s").await.unwrap();
        let outcomes: Vec<_> =
            session.requests().await.unwrap().into_iter().map(|one| one.outcome.unwrap()).collect();
        match (done, &outcomes[..]) {
            // before it was let in
            (Err(_), [Outcome::Completed]) => {}
            // (its answer may have been on its way)
            (Err(_), [Outcome::Cancelled | Outcome::Completed, Outcome::Completed]) => {}
            (Ok(done), [Outcome::Completed, Outcome::Completed]) => assert_eq!(done.unwrap(), 0),
            (done, outcomes) => panic!("{done:?} {outcomes:?}"),
        }
    });
}
