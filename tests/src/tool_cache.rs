//! Tools with `cacheable`: what is kept, for whom, for how long, and that what is the same runs once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flowstate::app::AppBuilder;
use flowstate::generate::{CacheKey, MemoryToolCache, ToolCache};
use flowstate::item::ToolOutput;
use flowstate::model::{Message, Reply, ScriptedModel};
use flowstate::prelude::*;
use flowstate::schema::Reach;
use flowstate::store::{Answer, Key, MemoryStore, Record, Store, Swap};
use serde_json::{Value, json};
use tokio::time::advance;

use crate::stores::{Folder, KINDS, Kind, SHARED, open};

/// How often a tool ran.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU32>);

impl Count {
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

#[data]
struct Question {
    words: HashMap<String, u32>,
    #[serde(default)]
    note: String,
}

/// Looks something up.
#[block(handler, needs = [Count], cacheable(ttl = "10s"))]
async fn look(_: Question, ctx: Ctx) -> Result<u32> {
    let n = ctx.needs.count.next();
    // long enough for the other call of its step to come
    tokio::time::sleep(Duration::from_millis(10)).await;
    Ok(n)
}

/// The same for the session.
#[block(handler, needs = [Count], cacheable(ttl = "10s", scope = session))]
async fn recall(_: Question, ctx: Ctx) -> Result<u32> {
    Ok(ctx.needs.count.next())
}

fn words(question: &Question) -> &HashMap<String, u32> {
    &question.words
}

/// Looks only at the words.
#[block(handler, needs = [Count], cacheable(key = words))]
async fn by_words(_: Question, ctx: Ctx) -> Result<u32> {
    Ok(ctx.needs.count.next())
}

/// Fails the first time.
#[block(handler, needs = [Count], cacheable())]
async fn shaky(_: Question, ctx: Ctx) -> Result<u32> {
    match ctx.needs.count.next() {
        1 => Err(Error::msg("not yet")),
        n => Ok(n),
    }
}

/// Forgets what it gives.
#[block(handler, needs = [Count], cacheable(scope = session))]
async fn fleeting(_: Question, ctx: Ctx) -> Result<u32> {
    ctx.tool_cache().invalidate("fleeting").await?;
    Ok(ctx.needs.count.next())
}

#[block(generator, model = "intent/chat", tools = [
    look, recall, by_words, shaky, fleeting,
    shown = recall.map_model_output(|n: &u32| format!("number {n}")),
])]
async fn agent(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Look.").user(question))
}

fn question() -> Value {
    json!({"words": {"a": 1, "b": 2, "c": 3}})
}

fn script(tools: &[(&str, Value)]) -> ScriptedModel {
    let calls = tools.iter().map(|(name, arguments)| Reply::tool(*name, arguments.clone()));
    ScriptedModel::new(calls.chain([Reply::text("done")]))
}

/// What the tools gave, as the model is shown it.
async fn shown(app: &App, model: &ScriptedModel, session: &str) -> Vec<String> {
    let run = app.request().session(session).run(agent, "go".to_string());
    assert_eq!(run.await.unwrap(), "done");
    let last = model.requests().pop().unwrap();
    let tool =
        |message: &Message| matches!(message, Message::Tool(_)).then(|| message.text().to_owned());
    last.messages().iter().filter_map(tool).collect()
}

fn app(model: &ScriptedModel) -> App {
    App::builder().model(model.clone()).provide(Count::default()).build().unwrap()
}

async fn results(tools: &[(&str, Value)]) -> Vec<String> {
    let model = script(tools);
    shown(&app(&model), &model, "s").await
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_the_same_does_not_run_again() {
    // in other orders, and with what is the default
    let texts = [
        r#"{"words": {"a": 1, "b": 2, "c": 3}}"#,
        r#"{"note": "", "words": {"c": 3, "b": 2, "a": 1}}"#,
    ];
    let same = texts.map(|text| ("look", serde_json::from_str(text).unwrap()));
    let other = ("look", json!({"words": {"a": 1}}));
    let all = [same[0].clone(), same[1].clone(), other];
    assert_eq!(results(&all).await, ["1", "1", "2"]);
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_step_that_are_the_same_run_once() {
    let calls = [("look", question()), ("look", question()), ("look", json!({"words": {}}))];
    let model = ScriptedModel::new([Reply::tools(calls), Reply::text("done")]);
    let app = app(&model);
    let mut run = app.start(agent, "go".to_string()).await.unwrap();
    let mut outputs: Vec<ToolOutput> = Vec::new();
    while let Some(item) = run.next_item().await {
        if let ItemKind::ToolOutput(output) = &item.kind {
            outputs.push(output.clone());
        }
    }
    outputs.sort_by(|a, b| a.call_id.cmp(&b.call_id));
    let said: Vec<_> =
        outputs.iter().map(|one| (one.output.clone().unwrap(), one.cached)).collect();
    assert_eq!(said, [(json!(1), false), (json!(1), true), (json!(2), false)]);
    let stats = app.tool_cache().stats();
    assert_eq!((stats.hits, stats.misses), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn it_is_kept_for_the_request_or_for_the_session() {
    for (tool, wanted) in [("look", ["1", "2", "3"]), ("recall", ["1", "1", "2"])] {
        let model = ScriptedModel::new(
            [(); 3].iter().flat_map(|()| [Reply::tool(tool, question()), Reply::text("done")]),
        );
        let app = app(&model);
        for (session, wanted) in ["s", "s", "t"].into_iter().zip(wanted) {
            assert_eq!(shown(&app, &model, session).await, [wanted], "{tool} in {session}");
        }
    }
    // without a session nobody else has it
    let model = ScriptedModel::new(
        [(); 2].iter().flat_map(|()| [Reply::tool("recall", question()), Reply::text("done")]),
    );
    let app = app(&model);
    for _ in 0..2 {
        app.run(agent, "go".to_string()).await.unwrap();
    }
    assert_eq!(app.tool_cache().stats().misses, 2);
}

#[tokio::test(start_paused = true)]
async fn sessions_of_two_tenants_share_nothing() {
    let model = ScriptedModel::new(
        [(); 3].iter().flat_map(|()| [Reply::tool("recall", question()), Reply::text("done")]),
    );
    let app = app(&model);
    for tenant in ["a", "b", "a"] {
        let request = app.request().tenant(tenant).session("s");
        request.run(agent, "go".to_string()).await.unwrap();
    }
    let stats = app.tool_cache().stats();
    assert_eq!((stats.hits, stats.misses), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn it_is_kept_for_its_time() {
    let model = ScriptedModel::new(
        [(); 4].iter().flat_map(|()| [Reply::tool("recall", question()), Reply::text("done")]),
    );
    let app = app(&model);
    for (wait, wanted) in [(0, "1"), (9_999, "1"), (1, "2"), (9_999, "2")] {
        advance(Duration::from_millis(wait)).await;
        assert_eq!(shown(&app, &model, "s").await, [wanted], "after {wait}ms");
    }
}

#[tokio::test(start_paused = true)]
async fn the_key_may_be_made_of_the_input() {
    let noted = |note: &str| ("by_words", json!({"words": {"a": 1}, "note": note}));
    assert_eq!(results(&[noted("x"), noted("y"), ("by_words", question())]).await, ["1", "1", "2"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_not_kept() {
    let call = || ("shaky", question());
    assert_eq!(results(&[call(), call(), call()]).await, ["not yet", "2", "2"]);
}

#[tokio::test(start_paused = true)]
async fn what_the_model_is_shown_is_made_anew() {
    let all = [("recall", question()), ("shown", question())];
    assert_eq!(results(&all).await, ["1", "number 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_forgotten_by_its_name() {
    let model = ScriptedModel::new([
        Reply::tools([("recall", question()), ("by_words", question())]),
        Reply::text("done"),
        Reply::tool("recall", question()),
        Reply::text("done"),
    ]);
    let app = app(&model);
    shown(&app, &model, "s").await;
    app.tool_cache().invalidate("nothing").await.unwrap();
    app.tool_cache().invalidate("recall").await.unwrap();
    assert_eq!(shown(&app, &model, "s").await, ["3"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_forgotten_while_it_ran_is_not_kept() {
    let call = || ("fleeting", question());
    assert_eq!(results(&[call(), call()]).await, ["1", "2"]);
}

#[tokio::test]
async fn in_memory_the_one_that_was_not_asked_for_the_longest_goes() {
    #[block(generator, model = "intent/chat", tools = [recall])]
    async fn small(question: &str) -> Result<Prompt> {
        Ok(Prompt::system("Look.").user(question))
    }

    let of = |word: &str| json!({"words": {word: 1}});
    let calls = ["a", "b", "a", "c", "a", "b"].map(|word| Reply::tool("recall", of(word)));
    let model = ScriptedModel::new(calls.into_iter().chain([Reply::text("done")]));
    let app = App::builder()
        .model(model.clone())
        .provide(Count::default())
        .tool_cache(MemoryToolCache::new(2))
        .build()
        .unwrap();
    app.run(small, "go".to_string()).await.unwrap();
    let last = model.requests().pop().unwrap();
    let shown = last.messages().iter().filter(|m| matches!(m, Message::Tool(_))).map(Message::text);
    assert_eq!(shown.collect::<Vec<_>>(), ["1", "2", "1", "3", "1", "4"]);
}

/// Gives what it is made of, and keeps nothing.
struct Odd(Result<Value, &'static str>);

impl ToolCache for Odd {
    fn get<'a>(&'a self, key: &'a CacheKey) -> Answer<'a, Option<Value>> {
        assert_eq!(
            (&*key.tool, &*key.arguments),
            ("recall", r#"{"note":"","words":{"a":1,"b":2,"c":3}}"#)
        );
        assert_eq!(key.scope, "session:s");
        Box::pin(async move { Ok(Some(self.0.clone()?)) })
    }

    fn put<'a>(&'a self, _: &'a CacheKey, output: Value, ttl: Duration) -> Answer<'a, ()> {
        assert_eq!((output, ttl), (json!(1), Duration::from_secs(10)));
        Box::pin(async move { Ok(self.0.clone().map(drop)?) })
    }

    fn invalidate<'a>(&'a self, _: &'a str) -> Answer<'a, ()> {
        Box::pin(async move { Err("gone".into()) })
    }

    fn forget<'a>(&'a self, _: &'a str) -> Answer<'a, ()> {
        Box::pin(async move { Ok(()) })
    }
}

#[tokio::test]
async fn what_cannot_be_read_any_more_or_got_at_all_is_a_miss() {
    for (kept, wanted) in [(Ok(json!(7)), "7"), (Ok(json!("seven")), "1"), (Err("gone"), "1")] {
        let model = script(&[("recall", question())]);
        let app = App::builder()
            .model(model.clone())
            .provide(Count::default())
            .tool_cache(Odd(kept))
            .build()
            .unwrap();
        assert_eq!(shown(&app, &model, "s").await, [wanted]);
        let error = app.tool_cache().invalidate("recall").await.unwrap_err();
        assert_eq!(error.code(), "store_failed");
    }
}

/// Asks itself the same.
#[block(generator, model = "intent/chat", tools = [again(planner)], cacheable())]
async fn planner(goal: String) -> Result<Prompt> {
    Ok(Prompt::system("Plan.").user(goal))
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_calls_itself_does_not_wait_for_itself() {
    let ask = || Reply::tool("planner", json!({"input": "x"}));
    let model = ScriptedModel::new([
        ask(),
        ask(),
        Reply::text("in"),
        Reply::text("mid"),
        Reply::text("out"),
    ]);
    let done =
        tokio::time::timeout(Duration::from_secs(60), app(&model).run(planner, "x".to_string()));
    assert_eq!(done.await.unwrap().unwrap(), "out");
}

#[tokio::test(start_paused = true)]
async fn elsewhere_a_block_runs_each_time() {
    #[block(sequencer)]
    fn twice(input: Question) -> u32 {
        input.tap(look).step(look)
    }

    let app = App::builder().provide(Count::default()).build().unwrap();
    let input = serde_json::from_value(question()).unwrap();
    assert_eq!(app.run(twice, input).await.unwrap(), 2);
}

flow! {
    struct Agents {
        ask: agent,
    }
}

/// Calls this tool whenever it is asked.
fn always(tool: &'static str, arguments: impl Fn(usize) -> Value) -> ScriptedModel {
    let turns = (0..200).flat_map(|n| [Reply::tool(tool, arguments(n)), Reply::text("done")]);
    ScriptedModel::new(turns.collect::<Vec<_>>())
}

fn stored(store: impl Store, model: &ScriptedModel, count: &Count) -> App {
    let app = App::builder().model(model.clone()).provide(count.clone());
    app.store(store).flow(Agents).build().unwrap()
}

/// Two connections to what is behind each of the stores, as two processes have them.
async fn pairs(folder: &Folder, kinds: impl Iterator<Item = Kind>) -> Vec<[Arc<dyn Store>; 2]> {
    let memory = MemoryStore::new();
    let mut all: Vec<[Arc<dyn Store>; 2]> = vec![[Arc::new(memory.clone()), Arc::new(memory)]];
    for kind in kinds {
        all.push([open(kind, &folder.0).await, open(kind, &folder.0).await]);
    }
    all
}

async fn kept(store: &dyn Store, session: &str, tool: &str) -> Option<usize> {
    let key = Key::new(Reach::Session, session, format!("!tool/{tool}"));
    store.load(&key).await.unwrap().map(|found| found.value.as_array().unwrap().len())
}

#[tokio::test(start_paused = true)]
async fn in_a_store_they_are_kept_for_all_processes_and_for_their_time() {
    let folder = Folder::new();
    // (where time stands still it jumps to when connections to a server are looked after)
    let kinds = SHARED.iter().copied().filter(|kind| format!("{kind:?}") != "Postgres");
    for stores in pairs(&folder, kinds).await {
        let (model, count) = (always("recall", |_| question()), Count::default());
        let apps = stores.map(|store| stored(store, &model, &count));
        let steps = [
            (0, 0, "s", "1"),
            (0, 1, "s", "1"),
            (0, 1, "t", "2"),
            (9_000, 1, "s", "1"),
            (2_000, 1, "s", "3"),
            (9_000, 0, "s", "3"),
            (2_000, 0, "s", "4"),
        ];
        for (wait, app, session, wanted) in steps {
            advance(Duration::from_millis(wait)).await;
            let shown = shown(&apps[app], &model, session).await;
            assert_eq!(shown, [wanted], "{session} of app {app} after {wait}ms");
        }
    }
}

#[tokio::test]
async fn in_a_store_a_tool_is_forgotten_by_its_name_for_all_processes() {
    let folder = Folder::new();
    for stores in pairs(&folder, SHARED.iter().copied()).await {
        let (model, count) = (always("recall", |_| question()), Count::default());
        let [one, other] = stores.map(|store| stored(store, &model, &count));
        for (app, session, wanted) in [(&one, "s", "1"), (&one, "t", "2"), (&other, "s", "1")] {
            assert_eq!(shown(app, &model, session).await, [wanted]);
        }
        other.tool_cache().invalidate("by_words").await.unwrap();
        assert_eq!(shown(&one, &model, "s").await, ["1"]);
        other.tool_cache().invalidate("recall").await.unwrap();
        for (app, session, wanted) in [(&one, "s", "3"), (&other, "s", "3"), (&one, "t", "4")] {
            assert_eq!(shown(app, &model, session).await, [wanted]);
        }
    }
}

#[tokio::test]
async fn they_go_with_their_session() {
    let (folder, mut all) = (Folder::new(), Vec::new());
    for &kind in KINDS {
        all.push(open(kind, &folder.0).await);
    }
    let (model, count) = (always("recall", |_| question()), Count::default());
    let in_memory = App::builder().model(model.clone()).provide(count.clone()).flow(Agents);
    let apps = all.iter().map(|store| stored(store.clone(), &model, &count));
    let apps: Vec<_> = apps.chain([in_memory.build().unwrap()]).collect();
    for (n, app) in apps.iter().enumerate() {
        let before = app.tool_cache().stats();
        let ask = async |session: &str| {
            let request = app.request().tenant("a").session(session);
            assert_eq!(request.call(Agents::ask, "go".to_owned()).await.unwrap(), "done");
            let stats = app.tool_cache().stats();
            (stats.hits - before.hits, stats.misses - before.misses)
        };
        assert_eq!([ask("s").await, ask("s").await, ask("t").await], [(0, 1), (1, 1), (1, 2)]);
        app.sessions().tenant("a").get("s").await.unwrap().delete().await.unwrap();
        if let Some(store) = all.get(n) {
            assert_eq!(kept(&**store, "@a/s", "recall").await, None);
            assert_eq!(kept(&**store, "@a/t", "recall").await, Some(1));
        }
        assert_eq!([ask("s").await, ask("t").await], [(1, 3), (2, 3)]);
    }
}

#[tokio::test(start_paused = true)]
async fn in_a_store_there_are_not_too_many_and_none_that_is_old() {
    let model = always("recall", |n| json!({"words": {"n": n}}));
    let (store, count) = (MemoryStore::new(), Count::default());
    let app = stored(store.clone(), &model, &count);
    for n in 1..=70 {
        shown(&app, &model, "s").await;
        assert_eq!(kept(&store, "s", "recall").await, Some(n.min(64)));
    }
    advance(Duration::from_secs(11)).await;
    shown(&app, &model, "s").await;
    assert_eq!(kept(&store, "s", "recall").await, Some(1));
}

#[tokio::test]
async fn nothing_is_stored_of_a_request_or_with_a_cache_of_ones_own() {
    let (store, count) = (MemoryStore::new(), Count::default());
    let model = always("look", |_| question());
    shown(&stored(store.clone(), &model, &count), &model, "s").await;
    assert_eq!(kept(&store, "s", "look").await, None);

    let model = always("recall", |_| question());
    let app = App::builder().model(model.clone()).provide(count).store(store.clone());
    let app = app.tool_cache(MemoryToolCache::default()).build().unwrap();
    shown(&app, &model, "s").await;
    assert_eq!(kept(&store, "s", "recall").await, None);
    assert_eq!(app.tool_cache().stats().misses, 1);
}

/// What happens beside a call.
#[derive(Debug, Clone, Copy)]
enum Beside {
    Nothing,
    Deletes,
    Anew,
    Invalidates(&'static str),
}

/// The app that it is done by.
type Other = Arc<std::sync::OnceLock<App>>;
type Doing = Arc<Mutex<Beside>>;

/// Does something to the session `s`, or to a tool, while it runs.
#[block(handler, needs = [Count, Other, Doing], cacheable(scope = session))]
async fn busy(_: Question, ctx: Ctx) -> Result<u32> {
    let other = ctx.needs.other.get().ok_or_else(|| Error::msg("no app"))?;
    let beside = std::mem::replace(&mut *ctx.needs.doing.lock().unwrap(), Beside::Nothing);
    match beside {
        Beside::Nothing => {}
        Beside::Deletes => other.sessions().get("s").await?.delete().await?,
        Beside::Anew => {
            other.sessions().get("s").await?.delete().await?;
            other.request().session("s").user("bob").run(nothing, ()).await?;
        }
        Beside::Invalidates(tool) => other.tool_cache().invalidate(tool).await?,
    }
    Ok(ctx.needs.count.next())
}

#[block(handler)]
async fn nothing(_: ()) -> Result<()> {
    Ok(())
}

#[block(generator, model = "intent/chat", tools = [busy])]
async fn working(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Work.").user(question))
}

/// An app by which a call of `busy` runs, while another does that; and which store they share.
async fn beside(one: AppBuilder, other: Option<AppBuilder>, what: Beside) -> [u64; 2] {
    let model = always("busy", |_| question());
    let (late, doing) = (Other::default(), Doing::new(Mutex::new(Beside::Nothing)));
    let build = |builder: AppBuilder| {
        let app = builder.model(model.clone()).provide(Count::default());
        app.provide(late.clone()).provide(doing.clone()).build().unwrap()
    };
    let app = build(one);
    let _ = late.set(other.map_or_else(|| app.clone(), build));
    let ask = async |session: &str| {
        let before = app.tool_cache().stats().misses;
        app.request().session(session).user("bob").run(working, "go".to_owned()).await.unwrap();
        app.tool_cache().stats().misses - before
    };
    ask("t").await;
    // (begun by nobody, so that a session of its own is another one)
    app.request().session("s").run(nothing, ()).await.unwrap();
    *doing.lock().unwrap() = what;
    ask("s").await;
    [ask("s").await, ask("t").await]
}

#[tokio::test]
async fn a_call_beside_which_its_session_or_its_tool_is_forgotten_is_not_kept_and_no_other_is_lost()
{
    let cases = [
        (Beside::Nothing, [0, 0]),
        (Beside::Deletes, [1, 0]),
        (Beside::Anew, [1, 0]),
        (Beside::Invalidates("busy"), [1, 1]),
        (Beside::Invalidates("recall"), [0, 0]),
    ];
    for (what, missed) in cases {
        assert_eq!(beside(App::builder(), None, what).await, missed, "{what:?} in memory");
        let store = MemoryStore::new();
        let app = || App::builder().store(store.clone());
        assert_eq!(beside(app(), None, what).await, missed, "{what:?} in a store");
        let store = MemoryStore::new();
        let app = || App::builder().store(store.clone());
        let done = beside(app(), Some(app()), what).await;
        assert_eq!(done, missed, "{what:?} by another process");
    }
}

/// Where a session is deleted just before an output of its tools is written.
struct Hasty(MemoryStore);

impl Store for Hasty {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        self.0.load(key)
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        Box::pin(async move {
            if key.state.starts_with("!tool/") {
                self.0.remove(key.reach, &key.id).await?;
            }
            self.0.swap(key, expected, value).await
        })
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        self.0.remove(reach, id)
    }
}

#[tokio::test]
async fn nothing_stays_of_a_session_that_is_deleted_while_it_is_written() {
    let (store, count) = (MemoryStore::new(), Count::default());
    let model = always("recall", |_| question());
    shown(&stored(Hasty(store.clone()), &model, &count), &model, "s").await;
    assert_eq!(kept(&store, "s", "recall").await.unwrap_or_default(), 0);
}
