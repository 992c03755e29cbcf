//! What a request streams: items, events, changes of state.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use flowstate::app::Run;
use flowstate::item::{Event, EventKind, Item, ItemKind, Outcome, Status, fold};
use flowstate::prelude::*;
use futures_util::StreamExt as _;
use proptest::prelude::*;
use serde::Serialize;
use tokio::sync::Notify;

use crate::live::Live;

/// All events of a run, and what it gave.
async fn heard<O>(mut run: Run<O>) -> (Vec<Event>, Result<O>) {
    let events = run.events().collect().await;
    (events, run.output().await)
}

async fn events_of<B: IntoBlock>(
    block: B,
    input: <B::Block as flowstate::Block>::Input,
) -> Vec<Event> {
    let app = App::builder().build().unwrap();
    heard(app.start(block, input).await.unwrap()).await.0
}

/// `path=delta v1` of each change of state.
fn changes(events: &[Event]) -> Vec<String> {
    let change = |event: &Event| match &event.kind {
        EventKind::Done(item) => match item.kind() {
            ItemKind::StateChange(change) => {
                assert_eq!(item.block, change.block);
                assert!(item.transient && item.visibility.client && !item.visibility.history);
                Some(format!(
                    "{} {}.{} {} v{}",
                    item.path, change.state, change.path, change.delta, change.version
                ))
            }
            _ => None,
        },
        _ => None,
    };
    events.iter().filter_map(change).collect()
}

fn kind(item: &Item) -> String {
    match item.kind() {
        ItemKind::Message(message) => format!("message {}", message.text()),
        ItemKind::Reasoning(reasoning) => format!("reasoning {}", reasoning.text),
        ItemKind::Status(line) => format!("status {}", line.message),
        ItemKind::Component(part) => format!("{} {}", part.component, part.data),
        ItemKind::Container(container) => {
            format!("container {} {} {:?}", container.label, container.metadata, container.error)
        }
        ItemKind::Source(source) => format!("source {}", source.url),
        ItemKind::StateChange(change) => format!("{} {}", change.block, change.delta),
        ItemKind::Error(failure) => format!("error {}: {}", failure.code, failure.message),
        _ => "?".into(),
    }
}

#[state]
struct Note {
    count: u32,
    text: String,
    list: Vec<u32>,
    #[state(transient)]
    scratch: u32,
}

#[state]
struct Other {
    n: i64,
}

/// Every kind of item once.
#[block(handler, state = Note)]
async fn everything(_: (), ctx: Ctx) -> Result<u32> {
    ctx.message("hello");
    let mut text = ctx.message_stream();
    text.push("a");
    ctx.reasoning("because");
    text.push("b");
    text.finish();
    let mut thought = ctx.reasoning_stream();
    thought.push("cut");
    drop(thought);
    ctx.status("busy");
    ctx.status("busy");
    ctx.component("chart", [1, 2])?;
    ctx.keyed_component("k", "gauge", 1)?;
    ctx.keyed_component("k", "gauge", 2)?;
    let mut work = ctx.container("work");
    work.describe("half")?;
    work.finish();
    let failing = ctx.container("failing");
    failing.fail("no");
    drop(ctx.container("dropped"));
    ctx.source("https://example.org");
    ctx.self_.count.inc(1)?;
    ctx.status("");
    ctx.status("");
    Ok(7)
}

const EVERYTHING: [(&str, Status); 15] = [
    ("message hello", Status::Completed),
    ("reasoning because", Status::Completed),
    ("message ab", Status::Completed),
    ("reasoning cut", Status::Incomplete),
    ("status busy", Status::Completed),
    ("chart [1,2]", Status::Completed),
    ("gauge 1", Status::Completed),
    ("gauge 2", Status::Completed),
    ("container work \"half\" None", Status::Completed),
    ("container failing null Some(\"no\")", Status::Failed),
    ("container dropped null None", Status::Incomplete),
    ("source https://example.org", Status::Completed),
    ("everything {\"count\":1}", Status::Completed),
    ("status ", Status::Completed),
    ("", Status::Completed),
];

#[tokio::test]
async fn final_items_as_a_stream() {
    let app = App::builder().build().unwrap();
    let mut run = app.start(everything, ()).await.unwrap();
    let mut items: Vec<Arc<Item>> = Vec::new();
    while let Some(item) = run.next().await {
        items.push(item);
    }
    let got: Vec<_> = items.iter().map(|item| (kind(item), item.status)).collect();
    let expected: Vec<_> =
        EVERYTHING[..14].iter().map(|(text, status)| ((*text).to_owned(), *status)).collect();
    assert_eq!(got, expected);
    assert!(items.iter().all(|item| item.block == "everything" && item.path == "everything"));
    assert!(items.iter().all(|item| item.time > 0));
    assert!(run.next().await.is_none(), "still at its end");
    assert_eq!(run.output().await.unwrap(), 7);
}

#[tokio::test]
async fn events_are_numbered_and_end_with_the_outcome() {
    let events = events_of(everything, ()).await;
    let numbers: Vec<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(events.last().unwrap().kind, EventKind::Ended(Outcome::Completed));
    let deltas = events.iter().filter_map(|event| match &event.kind {
        EventKind::Delta { index, text } => Some((*index, text.as_str())),
        _ => None,
    });
    assert_eq!(deltas.collect::<Vec<_>>(), [(1, "a"), (1, "b"), (3, "cut")]);
    let folded: Vec<_> = fold(&events).iter().map(kind).collect();
    assert_eq!(
        folded,
        [
            "message hello",
            "message ab",
            "reasoning because",
            "reasoning cut",
            "status ",
            "chart [1,2]",
            "gauge 2",
            "container work \"half\" None",
            "container failing null Some(\"no\")",
            "container dropped null None",
            "source https://example.org",
            "everything {\"count\":1}"
        ]
    );
}

#[tokio::test]
async fn a_failure_is_the_last_item() {
    #[block(handler)]
    async fn fails(_: (), ctx: Ctx) -> Result<u32> {
        let mut text = ctx.message_stream();
        text.push("cut");
        Err(Error::with_code("own", "no"))
    }
    #[block(sequencer)]
    fn outer(input: ()) -> u32 {
        input.step(fails)
    }
    #[block(handler)]
    async fn panics(_: ()) -> Result<u32> {
        panic!("no")
    }
    let app = App::builder().build().unwrap();
    let (events, ended) = heard(app.start(outer, ()).await.unwrap()).await;
    assert_eq!(ended.unwrap_err().code(), "own");
    let outcome = Outcome::Failed { code: "own".into(), message: "no".into() };
    assert_eq!(events.last().unwrap().kind, EventKind::Ended(outcome));
    let items = fold(&events);
    assert_eq!((kind(&items[0]), items[0].status), ("message cut".into(), Status::Incomplete));
    assert_eq!((kind(&items[1]), items[1].status), ("error own: no".into(), Status::Failed));
    assert_eq!((items[1].block.as_str(), items[1].path.as_str()), ("fails", "outer > fails"));
    let events = events_of(panics, ()).await;
    let outcome =
        Outcome::Failed { code: "block_panicked".into(), message: "the block panicked: no".into() };
    assert_eq!(events.last().unwrap().kind, EventKind::Ended(outcome));
}

#[tokio::test]
async fn a_block_that_cannot_be_started() {
    #[block(handler, needs = [Live])]
    async fn needy(_: ()) -> Result<u32> {
        Ok(1)
    }
    let app = App::builder().build().unwrap();
    assert_eq!(app.start(needy, ()).await.unwrap_err().code(), "need_not_provided");
}

#[block(handler, needs = [Live])]
async fn hang(_: u32, ctx: Ctx) -> Result<u32> {
    let _alive = ctx.needs.live.enter();
    ctx.message("begun");
    pending().await
}

#[block(sequencer)]
fn many_hang(n: u32) -> Vec<u32> {
    n.for_each(|n| 0..n, hang)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancel_returns_when_nothing_is_alive() {
    let live = Live::default();
    let app = App::builder().provide(live.clone()).build().unwrap();
    for _ in 0..20 {
        let run = app.start(many_hang, 20).await.unwrap();
        live.arrived(20).await;
        assert_eq!(live.alive(), 20);
        run.cancel().await;
        assert_eq!(live.alive(), 0);
    }
}

/// A request whose runtime goes is cancelled, and its listener hears of it.
#[test]
fn a_request_that_is_dropped_is_cancelled() {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let live = Live::default();
    let app = App::builder().provide(live.clone()).build().unwrap();
    let first = runtime();
    let run = first.block_on(async {
        let run = app.start(many_hang, 3).await.unwrap();
        live.arrived(3).await;
        run
    });
    drop(first);
    assert_eq!(live.alive(), 0);
    let (events, output) = runtime().block_on(heard(run));
    assert_eq!(fold(&events).len(), 3);
    assert_eq!(events.last().unwrap().kind, EventKind::Ended(Outcome::Cancelled));
    assert_eq!(output.unwrap_err().code(), "cancelled");
}

#[tokio::test]
async fn output_with_and_without_listening() {
    let app = App::builder().build().unwrap();
    assert_eq!(app.start(everything, ()).await.unwrap().output().await.unwrap(), 7);
    let mut run = app.start(everything, ()).await.unwrap();
    assert_eq!(kind(&run.next().await.unwrap()), "message hello");
    assert_eq!(run.events().next().await.unwrap().sequence, 2);
    assert_eq!(run.output().await.unwrap(), 7);
    let (_, output) = heard(app.request().session("s").start(everything, ()).await.unwrap()).await;
    assert_eq!(output.unwrap(), 7);
}

static BUILT: AtomicU32 = AtomicU32::new(0);

/// Counts how often it is made JSON.
struct Costly;

impl Serialize for Costly {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        BUILT.fetch_add(1, Ordering::SeqCst);
        to.serialize_unit()
    }
}

#[tokio::test]
async fn a_request_goes_on_when_nobody_listens() {
    struct Go(Arc<Notify>, Arc<Notify>);
    #[block(handler, needs = [Go])]
    async fn waits(_: (), ctx: Ctx) -> Result<()> {
        ctx.component("costly", Costly)?;
        ctx.needs.go.0.notified().await;
        ctx.component("costly", Costly)?;
        ctx.message_stream().push("unheard");
        ctx.needs.go.1.notify_one();
        Ok(())
    }
    let (go, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let app = App::builder().provide(Go(go.clone(), done.clone())).build().unwrap();
    let mut run = app.start(waits, ()).await.unwrap();
    run.next().await.unwrap();
    assert_eq!(BUILT.load(Ordering::SeqCst), 1);
    drop(run);
    go.notify_one();
    done.notified().await;
    // without a listener from the beginning
    go.notify_one();
    app.run(waits, ()).await.unwrap();
    assert_eq!(BUILT.load(Ordering::SeqCst), 1, "nothing is built that nobody hears");
}

#[tokio::test]
async fn changes_of_state() {
    #[block(handler, state = Note, parent = Note, sequencer = Other)]
    async fn writes(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.count.inc(n)?;
        ctx.self_.count.inc(0)?;
        ctx.self_.text.set(String::new())?;
        ctx.self_.scratch.set(5)?;
        ctx.self_.list.push(3)?;
        ctx.parent.text.set("x".into())?;
        ctx.parent.update(|note| {
            note.count = 4;
            note.scratch = 9;
            note.list.push(1);
        })?;
        ctx.parent.update(|note| note.scratch = 10)?;
        ctx.parent.update(|_| ())?;
        let whole = ctx.parent.get();
        ctx.parent.set(whole)?;
        let _ = ctx.parent.try_modify(|note| {
            note.count = 99;
            Err::<(), _>(Error::msg("no"))
        });
        ctx.sequencer.n.dec(2)?;
        Ok(n)
    }
    #[block(sequencer, state = [Note, Other])]
    fn holds(n: u32) -> u32 {
        n.tap(|_, ctx| ctx.self_.n.inc(5)).step(writes).tap(|_, ctx| ctx.self_.list.push(2))
    }
    let events = events_of(holds, 2).await;
    assert_eq!(
        changes(&events),
        [
            r#"holds Other.n {"n":5} v1"#,
            r#"holds > writes Note.count {"count":2} v1"#,
            r#"holds > writes Note.list {"list":[3]} v3"#,
            r#"holds Note.text {"text":"x"} v1"#,
            r#"holds Note. {"count":4,"list":[1]} v2"#,
            r#"holds Other.n {"n":3} v2"#,
            r#"holds Note.list {"list":[1,2]} v4"#,
        ]
    );
}

/// A refused write, and one in an error, say nothing; each level of a loop has a path of its own.
#[tokio::test]
async fn changes_that_are_none() {
    #[block(handler, state = Other)]
    async fn refused(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.n.set(i64::MAX)?;
        ctx.self_.n.inc(1).unwrap_err();
        Ok(n + 1)
    }
    #[block(sequencer)]
    fn twice(n: u32) -> u32 {
        n.do_until(refused, |n| *n == 2)
    }
    let events = events_of(twice, 0).await;
    let max = i64::MAX;
    let expected = [
        format!("twice > refused[0] Other.n {{\"n\":{max}}} v1"),
        format!("twice > refused[1] Other.n {{\"n\":{max}}} v1"),
    ];
    assert_eq!(changes(&events), expected);
}

/// Many writers: each version once, in order, with the value that it had.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_are_told_in_order() {
    #[block(handler, parent = Other)]
    async fn adds(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.parent.n.inc(1)?;
        tokio::task::yield_now().await;
        ctx.parent.update(|other| other.n += 1)?;
        ctx.message("done");
        Ok(n)
    }
    #[block(sequencer, state = Other)]
    fn all(n: u32) -> Vec<u32> {
        n.for_each(|n| 0..n, adds)
    }
    let events = events_of(all, 2000).await;
    let mut version = 0;
    let mut index = Vec::new();
    for event in &events {
        if let EventKind::Done(item) = &event.kind {
            index.push(item.index);
            if let ItemKind::StateChange(change) = item.kind() {
                version += 1;
                assert_eq!(
                    (change.version, change.delta.0["n"].as_u64()),
                    (version, Some(version))
                );
            }
        }
    }
    assert_eq!(version, 4000);
    assert!(index.is_sorted(), "an item's number is its place");
    assert_eq!(index, (0..6000).collect::<Vec<_>>());
}

/// A listener that begins to listen at the end.
#[tokio::test]
async fn a_slow_listener_loses_only_text() {
    #[block(handler)]
    async fn talks(n: u32, ctx: Ctx) -> Result<u32> {
        let mut long = ctx.message_stream();
        let mut other = ctx.reasoning_stream();
        for i in 0..n {
            long.push("x");
            other.push("y");
            if i % 10 == 0 {
                ctx.message(i.to_string());
            }
        }
        long.finish();
        other.finish();
        Ok(n)
    }
    let app = App::builder().build().unwrap();
    let mut run = app.start(talks, 20_000).await.unwrap();
    // on this runtime the request runs when the test waits
    let first = run.events().next().await.unwrap();
    assert_eq!(first.sequence, 1);
    while tokio::runtime::Handle::current().metrics().num_alive_tasks() > 0 {
        tokio::task::yield_now().await;
    }
    let mut events = vec![first];
    events.extend(run.events().collect::<Vec<_>>().await);
    let lost: u64 = events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Lagged { lost } => Some(lost),
            _ => None,
        })
        .sum();
    let deltas =
        events.iter().filter(|event| matches!(event.kind, EventKind::Delta { .. })).count() as u64;
    assert!(lost > 0);
    assert_eq!(lost + deltas, 40_000);
    let items = fold(&events);
    assert_eq!(items.len(), 2002, "no item is lost");
    assert_eq!(kind(&items[0]), format!("message {}", "x".repeat(20_000)));
    assert_eq!(kind(&items[1]), format!("reasoning {}", "y".repeat(20_000)));
    assert!(
        items[2..].iter().enumerate().all(|(i, item)| kind(item) == format!("message {}", i * 10))
    );
    let sequence: Vec<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(sequence, (1..=events.len() as u64).collect::<Vec<_>>());
    // what is there of a text is always its beginning
    for upto in (0..events.len()).step_by(97) {
        for item in fold(&events[..upto]) {
            if let ItemKind::Message(message) = item.kind()
                && item.index == 0
            {
                assert!("x".repeat(20_000).starts_with(message.text()));
            }
        }
    }
    assert_eq!(run.output().await.unwrap(), 20_000);
}

#[tokio::test]
async fn items_and_events_are_json_and_have_a_schema() {
    #[block(handler, state = Note)]
    async fn then_fails(_: (), ctx: Ctx) -> Result<()> {
        ctx.self_.update(|note| note.count = 3)?;
        Err(Error::msg("end"))
    }
    #[block(sequencer)]
    async fn both(_: (), ctx: Ctx) -> Result<()> {
        ctx.step(everything, ()).await?;
        ctx.step(then_fails, ()).await
    }
    let events = events_of(both, ()).await;
    let mut kinds = std::collections::BTreeSet::new();
    for event in &events {
        let json = serde_json::to_string(event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), *event, "{json}");
        let value = serde_json::to_value(event).unwrap();
        assert_eq!(serde_json::from_value::<Event>(value.clone()).unwrap(), *event, "{json}");
        if let EventKind::Done(item) = &event.kind {
            let json = serde_json::to_string(&**item).unwrap();
            assert_eq!(serde_json::from_str::<Item>(&json).unwrap(), **item, "{json}");
            kinds.insert(value["type"].as_str().unwrap().to_owned());
        }
    }
    let expected = [
        "component",
        "container",
        "error",
        "message",
        "reasoning",
        "source",
        "state_change",
        "status",
    ];
    assert_eq!(kinds.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    let schema = schemars::schema_for!(Item).to_value().to_string();
    for kind in expected {
        assert!(schema.contains(&format!("\"const\":\"{kind}\"")), "{kind} in {schema}");
    }
    assert!(schemars::schema_for!(Event).to_value().to_string().contains("sequence"));
}

/// What a block may stream.
#[data]
enum Emit {
    Message(u8),
    /// A piece of one of three texts, which then begins.
    Text(usize, String),
    EndText(usize, bool),
    Keyed(u8, u8),
    Status(u8),
    /// More about one of two containers, which then begins.
    Container(usize, u8),
    EndContainer(usize, bool),
    Change(u8),
    Pause,
}

fn emit() -> impl Strategy<Value = Emit> {
    prop_oneof![
        any::<u8>().prop_map(Emit::Message),
        (0..3usize, "[a-c]{0,3}").prop_map(|(i, text)| Emit::Text(i, text)),
        (0..3usize, any::<bool>()).prop_map(|(i, whole)| Emit::EndText(i, whole)),
        (0..3u8, any::<u8>()).prop_map(|(key, n)| Emit::Keyed(key, n)),
        (0..3u8).prop_map(Emit::Status),
        (0..2usize, any::<u8>()).prop_map(|(i, n)| Emit::Container(i, n)),
        (0..2usize, any::<bool>()).prop_map(|(i, ok)| Emit::EndContainer(i, ok)),
        (0..3u8).prop_map(Emit::Change),
        Just(Emit::Pause),
    ]
}

#[block(handler, state = Other)]
async fn emits(all: Vec<Emit>, ctx: Ctx) -> Result<()> {
    let (mut texts, mut containers) = ([const { None }; 3], [const { None }; 2]);
    for emit in all {
        match emit {
            Emit::Message(n) => ctx.message(n.to_string()),
            Emit::Text(i, text) => texts[i].get_or_insert_with(|| ctx.message_stream()).push(&text),
            Emit::EndText(i, true) => _ = texts[i].take().map(flowstate::TextStream::finish),
            Emit::EndText(i, false) => texts[i] = None,
            Emit::Keyed(key, n) => ctx.keyed_component(&key.to_string(), "part", n)?,
            Emit::Status(n) => ctx.status("!".repeat(n.into())),
            Emit::Container(i, n) => {
                containers[i].get_or_insert_with(|| ctx.container("c")).describe(n)?;
            }
            Emit::EndContainer(i, true) => {
                _ = containers[i].take().map(flowstate::OpenContainer::finish);
            }
            Emit::EndContainer(i, false) => _ = containers[i].take().map(|open| open.fail("no")),
            Emit::Change(n) => _ = ctx.self_.n.set(n.into())?,
            Emit::Pause => tokio::task::yield_now().await,
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// What the events make is what the items are: the last of each key, in the order they began.
    #[test]
    fn events_fold_to_the_items(all in proptest::collection::vec(emit(), 0..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let app = App::builder().build().unwrap();
            let (events, _) = heard(app.start(emits, all.clone()).await.unwrap()).await;
            let items: Vec<_> = app.start(emits, all).await.unwrap().collect().await;
            let mut expected: Vec<Item> = Vec::new();
            let mut begun: Vec<_> = items.iter().map(|item| Item::clone(item)).collect();
            begun.sort_by_key(|item| item.index);
            for item in begun {
                match expected.iter_mut().find(|known| known.key.is_some() && known.key == item.key) {
                    Some(known) => *known = item,
                    None => expected.push(item),
                }
            }
            let plain = |items: Vec<Item>| {
                items.into_iter().map(|mut item| { item.time = 0; item }).collect::<Vec<_>>()
            };
            assert_eq!(plain(fold(&events)), plain(expected));
            // and each beginning of the stream folds, too
            for upto in 0..events.len() {
                assert!(fold(&events[..upto]).len() <= upto);
            }
        });
    }
}

/// A listener is woken for each item, and the request does not wait for it.
#[tokio::test]
async fn items_come_while_the_request_runs() {
    struct Step(Notify);
    #[block(handler, needs = [Step])]
    async fn steps(n: u32, ctx: Ctx) -> Result<u32> {
        for i in 0..n {
            ctx.message(i.to_string());
            ctx.needs.step.0.notified().await;
        }
        Ok(n)
    }
    #[block(handler, needs = [Step])]
    async fn go(_: (), ctx: Ctx) -> Result<()> {
        ctx.needs.step.0.notify_one();
        Ok(())
    }
    let app = App::builder().provide(Step(Notify::new())).build().unwrap();
    let mut run = app.start(steps, 5).await.unwrap();
    for i in 0..5 {
        assert_eq!(kind(&run.next().await.unwrap()), format!("message {i}"));
        let mut next = pin!(run.next());
        assert!(futures_util::poll!(next.as_mut()).is_pending());
        app.run(go, ()).await.unwrap();
    }
    assert!(run.next().await.is_none());
    assert_eq!(run.output().await.unwrap(), 5);
}

#[block(handler, visibility(client))]
async fn aside(n: u64, ctx: Ctx) -> Result<u64> {
    ctx.message("not kept");
    ctx.source("https://example.org");
    Ok(n)
}

#[block(handler, visibility(history), transient)]
async fn memo(n: u64, ctx: Ctx) -> Result<u64> {
    ctx.message_stream().finish();
    ctx.reasoning("not shown");
    ctx.component("chart", 1)?;
    Ok(n)
}

#[block(handler)]
async fn open(n: u64, ctx: Ctx) -> Result<u64> {
    ctx.message("both");
    ctx.source("https://example.org");
    Ok(n)
}

#[block(sequencer)]
fn of_all_sorts(n: u64) -> u64 {
    n.step(aside).step(memo).step(open)
}

#[tokio::test]
async fn a_block_says_who_is_shown_its_texts() {
    let items = fold(&events_of(of_all_sorts, 1).await);
    let seen: Vec<_> = items
        .iter()
        .map(|item| {
            (item.block.as_str(), item.visibility.client, item.visibility.history, item.transient)
        })
        .collect();
    let expected = [
        ("aside", true, false, false),
        ("aside", true, false, false),
        ("memo", false, true, true),
        ("memo", false, true, true),
        ("memo", true, false, true),
        ("open", true, true, false),
        ("open", true, false, false),
    ];
    assert_eq!(seen, expected);
}
