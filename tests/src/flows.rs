//! What a flow says besides its actions: configuration, hooks, who may call, and how it is looked at.

use std::sync::{Arc, Mutex};

use flowstate::app::{Called, Internal, Task};
use flowstate::item::{Failure, Outcome};
use flowstate::model::{Reply, ScriptedModel};
use flowstate::prelude::*;
use flowstate::schema::EntryType;
use serde_json::json;

/// What ran, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[data]
struct Tone {
    #[serde(default = "mark")]
    mark: String,
    #[serde(default)]
    times: Times,
}

#[data]
#[derive(Default)]
struct Times {
    #[serde(default)]
    n: u32,
}

fn mark() -> String {
    "!".into()
}

#[block(handler, config = Tone)]
async fn loud(input: String, ctx: Ctx) -> Result<String> {
    Ok(format!("{input}{}", ctx.flow.config.mark))
}

#[block(sequencer)]
fn twice(input: String) -> String {
    input.step(loud).step(loud)
}

flow! {
    #[flow(config = Tone)]
    struct Crier {
        pub cry: twice,
    }
}

async fn cry(app: &App) -> String {
    app.request().call(Crier::cry, "a".into()).await.unwrap()
}

#[tokio::test]
async fn a_configuration_is_parsed_once_and_read_by_the_blocks() {
    let plain = App::builder().flow(Crier).build().unwrap();
    assert_eq!(cry(&plain).await, "a!!", "what is left out has its default");
    let typed = Tone { mark: "?".into(), times: Times::default() };
    let typed = App::builder().flow(Crier.with(typed)).build().unwrap();
    assert_eq!(cry(&typed).await, "a??");
    let json = App::builder().flow(Crier.with_json(json!({ "mark": "." }))).build().unwrap();
    assert_eq!(cry(&json).await, "a..");
    assert_eq!(Crier::DEF.config.unwrap().name, "Tone");

    for (config, said) in [
        (json!({ "mark": 1 }), "the configuration of the flow `crier` does not fit: `mark`: "),
        (json!({ "mrk": "?" }), "the configuration of the flow `crier`: there is no `mrk`"),
        (
            json!({ "times": { "m": 1 } }),
            "the configuration of the flow `crier`: there is no `times.m`",
        ),
    ] {
        let error = App::builder().flow(Crier.with_json(config)).build().unwrap_err();
        assert_eq!(error.code(), "app_invalid");
        assert!(error.to_string().starts_with(said), "{error}");
    }
}

#[tokio::test]
async fn a_block_that_reads_a_configuration_is_run_in_a_flow_or_under_test() {
    let error = flowstate::run(loud, "a".into()).await.unwrap_err();
    assert_eq!(error.code(), "block_misplaced");
    assert_eq!(
        error.to_string(),
        "`loud` reads the configuration `Tone` of its flow, and is run by itself\n\
         help: run it as an action of a flow that has it, `#[flow(config = Tone)]`"
    );
    let tone = Tone { mark: "…".into(), times: Times::default() };
    assert_eq!(flowstate::test(loud).config(tone).run("a".into()).await.unwrap().output, "a…");
    assert_eq!(flowstate::test(loud).run("a".into()).await.unwrap_err().code(), "block_misplaced");
}

flow! {
    #[flow(config = Tone, cardinality = collection)]
    struct Review {
        pub say: loud,
    }
}

#[tokio::test]
async fn a_collection_is_addressed_by_ids() {
    let with = |mark: &str| Tone { mark: mark.into(), times: Times::default() };
    let app = App::builder()
        .flow(Review.named("east").with(with("e")))
        .flow(Review.named("west").with(with("w")))
        .build()
        .unwrap();
    let say = |id: &str| app.request().of(id).call(Review::say, "".into());
    assert_eq!((say("east").await.unwrap(), say("west").await.unwrap()), ("e".into(), "w".into()));
    assert_eq!(app.request().call_named("west", "say", json!("")).await.unwrap(), "w");
    let error = app.request().call_named("review", "say", json!("")).await.unwrap_err();
    assert_eq!(error.to_string(), "the app has no flow `review`; it has `east`, `west`");
    assert_eq!(
        app.request().call(Review::say, "".into()).await.unwrap_err().to_string(),
        "the app has several of the flow `review`: say which, `.of(\"…\")`; it has `east`, `west`"
    );
    assert_eq!(
        say("north").await.unwrap_err().to_string(),
        "the app has no flow `review` with the id `north`; it has `east`, `west`"
    );

    let why = |builder: flowstate::AppBuilder| builder.build().unwrap_err().to_string();
    assert_eq!(
        why(App::builder().flow(Review)),
        "the flow `Review` is a collection: give each of it an id, `.flow(Review.named(\"…\"))`"
    );
    assert_eq!(
        why(App::builder().flow(Review.named("a")).flow(Review.named("a"))),
        "the app has two flows with the id `a`"
    );
    assert_eq!(
        why(App::builder().flow(Review.named("crier")).flow(Crier)),
        "the app has two flows with the id `crier`"
    );
    assert_eq!(
        why(App::builder().flow(Crier.named("a"))),
        "the flow `Crier` is given the id `a`, and there is only one of it: declare it with \
         `#[flow(cardinality = collection)]`"
    );
}

#[block(handler, needs = [Log])]
async fn even(n: u32, ctx: Ctx) -> Result<String> {
    ctx.needs.log.add(format!("even {n}"));
    if n % 2 == 1 {
        return Err(Error::with_code("odd", "not even"));
    }
    Ok(format!("{n} is even"))
}

#[block(handler, needs = [Log])]
async fn answered(output: String, ctx: Ctx) -> Result<()> {
    ctx.needs.log.add(format!("answered {output}"));
    if output.starts_with('4') { Err(Error::with_code("four", "no fours")) } else { Ok(()) }
}

#[block(handler, needs = [Log])]
async fn failed(failure: Failure, ctx: Ctx) -> Result<()> {
    ctx.needs.log.add(format!("failed {}", failure.code));
    Err(Error::msg("and so did this"))
}

#[block(handler, needs = [Log])]
async fn began(called: Called, ctx: Ctx) -> Result<()> {
    assert_eq!(called.request, ctx.current_request().id().to_string());
    ctx.needs.log.add(format!("began {}.{} {:?}", called.flow, called.action, called.outcome));
    Ok(())
}

#[block(handler, needs = [Log])]
async fn succeeded(called: Called, ctx: Ctx) -> Result<()> {
    assert_eq!(called.outcome, Some(Outcome::Completed));
    ctx.needs.log.add("succeeded");
    Ok(())
}

#[block(handler, needs = [Log])]
async fn ended(called: Called, ctx: Ctx) -> Result<()> {
    let ended = matches!(called.outcome, Some(Outcome::Completed));
    ctx.needs.log.add(format!("ended {ended}"));
    Ok(())
}

flow! {
    #[flow(on_started = began, on_completed = succeeded, on_errored = failed, on_finished = ended)]
    struct Hooked {
        #[action(on_completed = answered, on_errored = failed)]
        pub even: even,
    }
}

#[tokio::test]
async fn hooks_run_round_a_request() {
    let log = Log::default();
    let app = App::builder().flow(Hooked).provide(log.clone()).build().unwrap();
    let call = |n| app.request().call(Hooked::even, n);
    assert_eq!(call(2).await.unwrap(), "2 is even");
    assert_eq!(
        log.take(),
        ["began hooked.even None", "even 2", "answered 2 is even", "succeeded", "ended true"]
    );
    assert_eq!(call(3).await.unwrap_err().code(), "odd");
    assert_eq!(
        log.take(),
        ["began hooked.even None", "even 3", "failed odd", "failed odd", "ended false"]
    );
    // what the hook of a success says counts
    let error = call(4).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("four", "answered"));
    assert_eq!(
        log.take()[2..],
        ["answered 4 is even", "failed four", "failed four", "ended false"]
    );

    let error = App::builder().flow(Hooked).build().unwrap_err();
    assert_eq!(error.code(), "need_not_provided");
}

#[block(handler)]
async fn echo(input: String) -> Result<String> {
    Ok(input)
}

#[state]
struct Prefs {
    visits: u32,
}

#[block(handler, user = Prefs)]
async fn visit(_: (), ctx: Ctx) -> Result<u32> {
    ctx.user
        .visits
        .modify(|n| {
            *n += 1;
            *n
        })
        .await
}

#[block(sequencer)]
fn visits(input: ()) -> u32 {
    input.step(visit.rescue::<std::fmt::Error>(visit_zero))
}

#[block(handler)]
async fn visit_zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

flow! {
    #[flow(require_user)]
    struct Private {
        pub echo: echo,
    }
}

flow! {
    struct Mixed {
        pub echo: echo,
        pub visits: visits,
    }
}

#[tokio::test]
async fn a_call_without_a_user_is_refused_where_one_is_needed() {
    let app = App::builder().flow(Private).flow(Mixed).build().unwrap();
    let error = app.request().call(Private::echo, "a".into()).await.unwrap_err();
    assert_eq!(error.code(), "user_required");
    assert_eq!(
        error.to_string(),
        "`echo` of the flow `private` needs a user: name one, `.user(\"…\")`"
    );
    assert_eq!(app.request().user("u").call(Private::echo, "a".into()).await.unwrap(), "a");
    assert_eq!(app.request().call(Mixed::echo, "a".into()).await.unwrap(), "a");
    let error = app.request().call_named("mixed", "visits", json!(null)).await.unwrap_err();
    assert_eq!(error.code(), "user_required");
    assert_eq!(app.request().start(Mixed::visits, ()).await.unwrap_err().code(), "user_required");
    assert_eq!(app.request().user("u").call(Mixed::visits, ()).await.unwrap(), 1);
}

#[block(generator, model = "test/one", tools = [echo])]
async fn think(input: String) -> Result<Prompt> {
    Ok(Prompt::system("Think.").user(input))
}

flow! {
    struct Thinker {
        #[action(token_budget = 25, user_message = said)]
        pub think: think,
        #[action(user_message = |input: &String| input.to_uppercase())]
        pub shout: echo,
    }
}

fn said(input: &str) -> &str {
    input
}

#[tokio::test]
async fn a_request_ends_when_its_tokens_are_used() {
    let model = || {
        let call = || Reply::tool("echo", json!("a")).usage(10, 5);
        ScriptedModel::new([call(), call(), Reply::text("done")])
    };
    let app = App::builder().flow(Thinker).model(model()).build().unwrap();
    let error = app.request().call(Thinker::think, "x".into()).await.unwrap_err();
    assert_eq!(error.code(), "token_budget_exceeded");
    assert_eq!(error.to_string(), "the action `think` may use 25 tokens, and 30 are used");
}

#[tokio::test]
async fn an_answer_that_breaks_off_or_says_no_cost_counts_too() {
    #[block(handler)]
    async fn so_be_it(_: Rescued) -> Result<String> {
        Ok("so be it".into())
    }
    #[block(sequencer)]
    fn think_twice(input: String) -> String {
        input.step(think.rescue::<Error>(so_be_it)).step(think)
    }
    flow! {
        struct Twice {
            #[action(token_budget = 25)]
            twice: think_twice,
        }
    }
    /// One token a sign.
    struct Signs;
    impl flowstate::model::TokenCounter for Signs {
        fn count(&self, text: &str) -> usize {
            text.chars().count()
        }
    }
    let broken = || flowstate::model::ModelError::new("test", "the line is dead");
    // asked "Think." and "x", 7 signs
    for (first, used) in [
        (Reply::text("").usage(20, 7).then_error(broken()), 27),
        (Reply::text("a".repeat(19)).then_error(broken()), 26),
        (Reply::text("a".repeat(20)), 27),
    ] {
        let model = ScriptedModel::new([first, Reply::text("done")]);
        let app = App::builder().flow(Twice).model(model.clone()).token_counter(Signs);
        let call = app.build().unwrap().request().call(Twice::twice, "x".into());
        let text = format!("the action `twice` may use 25 tokens, and {used} are used");
        assert_eq!(call.await.unwrap_err().to_string(), text);
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn what_the_user_said_is_the_first_item() {
    let app = App::builder()
        .flow(Thinker)
        .model(ScriptedModel::new([Reply::text("done")]))
        .build()
        .unwrap();
    let run = app.request().start(Thinker::shout, "hey".into()).await.unwrap();
    use futures_util::StreamExt as _;
    let items: Vec<_> = run.collect().await;
    let ItemKind::Message(message) = items[0].kind() else { panic!("{:?}", items[0]) };
    assert_eq!((&*message.role, message.text()), ("user", "HEY"));
}

flow! {
    /// Has entries of each sort.
    struct Sorts {
        pub chat: twice_echo,
        /// Wakes up.
        #[internal(concurrency = queue)]
        wake: echo,
        #[task]
        work: echo,
    }
}

#[block(sequencer)]
fn twice_echo(input: String) -> String {
    input.step(echo).step(echo.rescue::<Error>(back))
}

#[block(handler)]
async fn back(_: Rescued) -> Result<String> {
    Ok(String::new())
}

#[tokio::test]
async fn entries_are_found_by_sort_and_name() {
    let def = Sorts::DEF;
    let wake = def.entry(EntryType::Internal, "wake").unwrap();
    assert_eq!((wake.description, wake.block.head.name), ("Wakes up.", "echo"));
    assert!(def.entry(EntryType::Action, "wake").is_none());
    assert!(def.entry(EntryType::Task, "work").is_some());
    assert!(def.entry(EntryType::Action, "toString").is_none());
    let app = App::builder().flow(Sorts).build().unwrap();
    let (wake, work): (Internal<Sorts, echo>, Task<Sorts, echo>) = (Sorts::wake, Sorts::work);
    assert_eq!((wake.name(), wake.def().description), ("wake", "Wakes up."));
    assert!(std::ptr::eq(work.def(), def.entry(EntryType::Task, "work").unwrap()));
    assert_eq!(format!("{:?} {work:?}", Sorts::chat), "Action(chat) Task(work)");
    let error = app.request().call_named("sorts", "wake", json!("")).await.unwrap_err();
    assert_eq!(error.to_string(), "the flow `sorts` has no action `wake`; it has `chat`");
}

#[test]
fn a_flow_is_a_graph() {
    assert_eq!(
        Sorts::graph(),
        "flowchart TD\n    \
         action0([\"chat · action\"])\n    \
         b0[[\"twice_echo\"]]\n    \
         b1[\"echo\"]\n    \
         b2[\"back\"]\n    \
         b0 --> b1\n    \
         b0 --> b2\n    \
         action0 --> b0\n    \
         internal0([\"wake · internal\"])\n    \
         internal0 --> b1\n    \
         task0([\"work · task\"])\n    \
         task0 --> b1\n"
    );
}

#[state]
struct Draft {
    text: String,
    secret: u32,
}

#[block(handler, session = Draft)]
async fn write(text: String, ctx: Ctx) -> Result<bool> {
    ctx.session.secret.inc(1).await?;
    ctx.session.text.set(text).await
}

fn length(draft: &Draft) -> usize {
    draft.text.len()
}

flow! {
    #[flow(
        user = Prefs,
        client(session = Draft { text, length: length, loud: |d: &Draft| d.text.to_uppercase() }, user = Prefs { visits }),
    )]
    struct Shown {
        pub write: write,
    }
}

#[tokio::test]
async fn clients_are_shown_what_the_flow_names() {
    let in_store = App::builder().store(flowstate::store::MemoryStore::new());
    for app in [App::builder(), in_store].map(|builder| builder.flow(Shown).build().unwrap()) {
        let ada = app.request().user("ada").session("s");
        let nothing =
            json!({ "session": { "text": "", "length": 0, "loud": "" }, "user": { "visits": 0 } });
        assert_eq!(ada.client(Shown).await.unwrap(), nothing);
        ada.clone().call(Shown::write, "hey".into()).await.unwrap();
        let shown = ada.client(Shown).await.unwrap();
        assert_eq!(shown["session"], json!({ "text": "hey", "length": 3, "loud": "HEY" }));
        let bob = app.request().user("bob").session("s").client(Shown).await.unwrap_err();
        assert_eq!(bob.code(), "session_not_found");
        assert_eq!(app.request().client(Crier).await.unwrap(), json!({}));
    }
}

flow! {
    #[flow(session = Prefs, kind = "extra")]
    struct Extra {
        pub echo: echo,
    }
}

#[test]
fn a_flow_has_states_of_its_own() {
    let kept: Vec<_> = Extra::DEF.lasting.iter().map(|one| (one.state.name, one.block)).collect();
    assert_eq!(kept, [("Prefs", "Extra")]);
}

#[block(handler, needs = [Log])]
async fn swept(_: Called, ctx: Ctx) -> Result<()> {
    tokio::task::yield_now().await;
    ctx.needs.log.add("swept");
    Ok(())
}

#[block(sequencer)]
fn sweep(called: Called) -> Called {
    called.side_chain(swept)
}

flow! {
    #[flow(on_finished = sweep)]
    struct Swept {
        #[action(user_message = |n: &u32| (10 / n).to_string())]
        pub even: even,
    }
}

#[tokio::test]
async fn what_a_hook_queues_belongs_to_the_request() {
    let log = Log::default();
    let app = App::builder().flow(Swept).provide(log.clone()).build().unwrap();
    for (n, code) in [(2, None), (1, Some("odd"))] {
        let done = app.request().call(Swept::even, n).await;
        assert_eq!(done.err().as_ref().map(Error::code), code);
        assert!(log.take().contains(&"swept".to_owned()), "{n}");
    }
}

#[tokio::test]
async fn a_function_of_an_action_that_panics_is_an_error() {
    let app = App::builder().flow(Swept).provide(Log::default()).build().unwrap();
    let error = app.request().call(Swept::even, 0).await.unwrap_err();
    assert_eq!(error.code(), "block_panicked");
}

flow! {
    #[flow]
    #[derive(Debug, PartialEq, Eq)]
    struct Derived {
        echo: echo_it,
    }
}

#[block(handler)]
async fn echo_it(text: String) -> Result<String> {
    Ok(text)
}

#[tokio::test]
async fn a_flow_may_say_nothing_of_itself_and_derive_what_it_likes() {
    assert_eq!(Derived, Derived);
    let app = App::builder().flow(Derived).build().unwrap();
    let echoed = app.request().call(Derived::echo, "a".to_string()).await.unwrap();
    assert_eq!((echoed.as_str(), format!("{Derived:?}").as_str()), ("a", "Derived"));
}
