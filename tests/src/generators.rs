//! Generators: what the model is asked, its tools, what comes out and what is streamed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use flowstate::error::ValidationError;
use flowstate::item::{EventKind, Item, ItemKind, Status, fold};
use flowstate::model::{
    Delta, Message, ModelError, ModelRequest, Reply, Role, ScriptedModel, ToolCall, ToolResult,
};
use flowstate::prelude::*;
use flowstate::schema::Kind;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::Barrier;

#[state]
struct Notes {
    notes: Vec<String>,
}

#[data]
struct Note {
    /// What to write down.
    text: String,
    #[serde(default)]
    times: u32,
}

/// Writes something down.
#[block(handler, parent = Notes)]
async fn write(note: Note, ctx: Ctx) -> Result<String> {
    ctx.parent.notes.push(note.text.clone())?;
    Ok(format!("wrote {} at {}", note.text, ctx.path()))
}

/// Fails.
#[block(handler)]
async fn fail(_: ()) -> Result<u32> {
    Err(Error::msg("the disk is full"))
}

/// Doubles a number.
#[block(handler)]
async fn double(n: u32) -> Result<u32> {
    Ok(n * 2)
}

#[block(generator, model = "intent/chat", state = Notes, tools = [write, fail, double])]
async fn agent(question: &str, ctx: Ctx) -> Result<Prompt> {
    Ok(Prompt::system(format!("Notes: {}", ctx.self_.notes.get().join(", "))).user(question))
}

#[block(generator, model = "intent/chat")]
async fn plain(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Answer.").user(question))
}

fn app(model: &ScriptedModel) -> App {
    App::builder().model(model.clone()).build().unwrap()
}

/// Runs a generator on a script.
async fn ran<B: IntoBlock<Block: flowstate::Block<Input = String>>>(
    block: B,
    replies: impl IntoIterator<Item = Reply>,
) -> (Result<<B::Block as flowstate::Block>::Output>, Vec<ModelRequest>) {
    let model = ScriptedModel::new(replies);
    let done = app(&model).run(block, "go".to_string()).await;
    (done, model.requests())
}

fn texts(request: &ModelRequest) -> Vec<String> {
    request.messages().iter().map(|m| format!("{:?} {}", m.role(), m.text())).collect()
}

fn results(request: &ModelRequest) -> Vec<ToolResult> {
    let result = |message: &Message| match message {
        Message::Tool(result) => Some(result.clone()),
        _ => None,
    };
    request.messages().iter().filter_map(result).collect()
}

fn temporary(status: u16) -> Reply {
    Reply::error(ModelError::new("test/scripted", "not now").with_status(status))
}

#[tokio::test]
async fn a_text_is_the_output() {
    let (done, requests) = ran(plain, [Reply::text("Hello.")]).await;
    assert_eq!(done.unwrap(), "Hello.");
    assert_eq!(texts(&requests[0]), ["System Answer.", "User go"]);
    assert_eq!((requests[0].tools().len(), &requests[0].response_schema), (0, &None));
    let def = <agent as flowstate::Block>::DEF;
    assert_eq!((def.head.kind, def.head.kind.word()), (Kind::Generator, "generator"));
    assert_eq!(def.head.models, ["intent/chat"]);
    let children: Vec<_> = def.children.iter().map(|child| child.head.name).collect();
    assert_eq!(children, ["write", "fail", "double"]);
}

#[tokio::test]
async fn tools_write_to_the_generator_and_the_next_prompt_shows_it() {
    let script = [
        Reply::tool("write", json!({"text": "a"})),
        Reply::tool("write", json!({"text": "b"})),
        Reply::text("Done."),
    ];
    let (done, requests) = ran(agent, script).await;
    assert_eq!(done.unwrap(), "Done.");
    let systems: Vec<_> = requests.iter().map(ModelRequest::system).collect();
    assert_eq!(systems, ["Notes: ", "Notes: a", "Notes: a, b"]);
    // one system message each time, and all that was said since
    assert_eq!(
        texts(&requests[2]),
        [
            "System Notes: a, b",
            "User go",
            "Assistant ",
            "Tool wrote a at agent > write",
            "Assistant ",
            "Tool wrote b at agent > write",
        ]
    );
    let called = Message::Assistant {
        text: String::new(),
        tool_calls: vec![ToolCall::new("call_1", "write", r#"{"text":"a"}"#)],
        opaque: Vec::new(),
    };
    assert_eq!(requests[2].messages()[2], called);
}

#[tokio::test]
async fn the_model_is_told_of_the_tools() {
    let (_, requests) = ran(agent, [Reply::text("")]).await;
    let tools = requests[0].tools();
    let named: Vec<_> = tools.iter().map(|t| (t.name.as_str(), t.description.as_str())).collect();
    assert_eq!(
        named,
        [("write", "Writes something down."), ("fail", "Fails."), ("double", "Doubles a number.")]
    );
    assert_eq!(tools[0].schema["type"], "object");
    assert_eq!(tools[0].schema["properties"]["text"]["description"], "What to write down.");
    // what is no object is in one
    assert_eq!(tools[1].schema, json!({"type": "object", "properties": {}}));
    assert_eq!(tools[2].schema["properties"]["input"]["type"], "integer");
    assert_eq!(tools[2].schema["required"], json!(["input"]));
}

#[tokio::test]
async fn calls_of_one_step_run_beside_each_other_and_answer_in_order() {
    static MEET: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));
    #[block(handler)]
    async fn first(_: ()) -> Result<String> {
        MEET.wait().await;
        tokio::task::yield_now().await;
        Ok("one".into())
    }
    #[block(handler)]
    async fn second(_: ()) -> Result<String> {
        MEET.wait().await;
        Ok("two".into())
    }
    #[block(generator, model = "m", tools = [first, second])]
    async fn both(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text))
    }
    let script =
        [Reply::tools([("first", json!({})), ("second", json!({}))]), Reply::text("Done.")];
    let (done, requests) = ran(both, script).await;
    assert_eq!(done.unwrap(), "Done.");
    let texts: Vec<_> = results(&requests[1]).into_iter().map(|r| (r.call_id, r.text)).collect();
    assert_eq!(texts, [("call_1".into(), "one".into()), ("call_2".into(), "two".to_string())]);
}

#[tokio::test]
async fn what_goes_wrong_with_a_call_is_the_models_to_know() {
    let script = [
        Reply::tools([
            ("search", json!({})),
            ("write", json!({"text": 7})),
            ("write", json!({})),
            ("fail", json!({})),
            ("double", json!({"input": 4})),
            ("double", json!(5)),
        ])
        .after([Delta::ToolCall {
            index: 6,
            id: "y".into(),
            name: "double".into(),
            arguments: "{input: 6,}".into(),
        }]),
        Reply::stream([Delta::ToolCall {
            index: 0,
            id: "x".into(),
            name: "write".into(),
            arguments: r#"{"text": "half of"#.into(),
        }]),
        Reply::text("Sorry."),
    ];
    let (done, requests) = ran(agent, script).await;
    assert_eq!(done.unwrap(), "Sorry.");
    let shown: Vec<_> = results(&requests[1]).into_iter().map(|r| (r.failed, r.text)).collect();
    assert_eq!(
        shown,
        [
            (true, "there is no tool `search`; there is `write`, `fail`, `double`"),
            (
                true,
                "the input of `write` does not fit: `text`: invalid type: integer `7`, expected a string"
            ),
            (true, "the input of `write` does not fit: missing field `text`"),
            (true, "the disk is full"),
            (false, "8"),
            (false, "10"),
            (false, "12"),
        ]
        .map(|(failed, text)| (failed, text.to_owned()))
    );
    let last = results(&requests[2]).pop().unwrap();
    assert!(last.failed && last.text.starts_with("the input of `write` does not fit"), "{last:?}");
}

#[tokio::test]
async fn a_tool_that_panics_or_takes_too_long_fails() {
    #[block(handler)]
    async fn break_down(_: ()) -> Result<()> {
        panic!("out of order")
    }
    #[block(handler, timeout = "1s")]
    async fn hang(_: ()) -> Result<()> {
        std::future::pending().await
    }
    #[block(generator, model = "m", tools = [break_down, hang])]
    async fn careless(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text))
    }
    tokio::time::pause();
    let script = [Reply::tools([("break_down", json!({})), ("hang", json!({}))]), Reply::text("!")];
    let (done, requests) = ran(careless, script).await;
    assert_eq!(done.unwrap(), "!");
    let shown: Vec<_> = results(&requests[1]).into_iter().map(|r| (r.failed, r.text)).collect();
    assert_eq!(shown[0], (true, "the block panicked: out of order".to_string()));
    assert_eq!(shown[1], (true, "the block took longer than 1s".to_string()));
}

#[tokio::test]
async fn what_stops_a_request_stops_the_generator_once_the_others_are_done() {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    #[block(handler)]
    async fn stop(text: String) -> Result<()> {
        Err(Error::stop("suspended", text))
    }
    #[block(handler)]
    async fn slow(_: ()) -> Result<()> {
        tokio::task::yield_now().await;
        DONE.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    #[block(generator, model = "m", tools = [stop, slow])]
    async fn stopped(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text))
    }
    let calls = [("slow", json!({})), ("stop", json!("first")), ("stop", json!("second"))];
    let (done, requests) = ran(stopped, [Reply::tools(calls), Reply::text("no")]).await;
    let error = done.unwrap_err();
    assert_eq!((error.code(), error.to_string()), ("suspended", "first".into()));
    assert_eq!(error.path(), "stopped > stop");
    assert_eq!((DONE.load(Ordering::Relaxed), requests.len()), (1, 1));
}

#[tokio::test]
async fn texts_of_several_steps_are_paragraphs() {
    let say = |text: &str| [Delta::Text(text.into())];
    let script = [
        Reply::tool("double", json!({"input": 1})).after(say("A.")),
        Reply::tool("double", json!({"input": 2})),
        Reply::text("B."),
    ];
    let (done, requests) = ran(agent, script).await;
    assert_eq!(done.unwrap(), "A.\n\nB.");
    assert_eq!(requests[1].messages()[2].text(), "A.");
}

#[tokio::test]
async fn steps_have_a_limit() {
    #[block(generator, model = "m", tools = [double])]
    async fn twice(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text).max_steps(2))
    }
    let call = || Reply::tool("double", json!({"input": 1}));
    let (done, requests) = ran(twice, [call(), call(), call()]).await;
    let error = done.unwrap_err();
    assert_eq!((error.code(), requests.len()), ("no_output", 2));
    assert_eq!(error.to_string(), "the model of `twice` has said nothing after 2 step(s)");

    // what was said is the output
    let said = call().after([Delta::Text("So far.".into())]);
    let (done, _) = ran(twice, [said, call()]).await;
    assert_eq!(done.unwrap(), "So far.");

    let (done, requests) = ran(agent, (0..9).map(|_| call())).await;
    assert_eq!((done.unwrap_err().code(), requests.len()), ("no_output", 8));
}

#[tokio::test]
async fn a_condition_ends_it() {
    #[block(generator, model = "m", tools = [double, fail])]
    async fn until(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text).stop_when(|so_far| so_far.called("double")))
    }
    let script = [
        Reply::tool("fail", json!({})).after([Delta::Text("Hm.".into())]),
        Reply::tool("double", json!({"input": 3})),
        Reply::text("never"),
    ];
    let (done, requests) = ran(until, script).await;
    assert_eq!((done.unwrap().as_str(), requests.len()), ("Hm.", 2));
}

#[tokio::test]
async fn messages_stand_in_order_and_the_users_words_once() {
    #[block(generator, model = "m", tools = [double])]
    async fn ordered(text: &str, ctx: Ctx) -> Result<Prompt> {
        Ok(Prompt::system(format!("at {}", ctx.path()))
            .context("one")
            .context("")
            .context("two")
            .history([Message::user("hi"), Message::assistant("hello"), Message::user(text)])
            .user(text)
            .user(text)
            .temperature(0.5)
            .max_tokens(7)
            .stop("END"))
    }
    let script = [Reply::tool("double", json!({"input": 1})), Reply::text("!")];
    let (done, requests) = ran(ordered, script).await;
    done.unwrap();
    let first = [
        "System at ordered",
        "System one",
        "System two",
        "User hi",
        "Assistant hello",
        "User go",
        "User go",
    ];
    assert_eq!(texts(&requests[0]), first);
    assert_eq!(texts(&requests[1])[..7], first);
    assert_eq!(requests[1].messages().last().unwrap().role(), Role::Tool);
    let options = &requests[1].options;
    assert_eq!((options.temperature, options.max_tokens), (Some(0.5), Some(7)));
    assert_eq!(options.stop, ["END"]);
}

#[tokio::test]
async fn tags_stand_in_the_first_system_text() {
    #[block(generator, model = "m")]
    async fn tagging(_: &str) -> Result<Prompt> {
        Prompt::system("Be brief.")
            .tagged(json!({"userName": "<Ada>"}))?
            .context("apart")
            .tagged(json!({"user-name": "Bo", "facts": {"age": 36}}))
    }
    #[block(generator, model = "m")]
    async fn reserved(_: &str) -> Result<Prompt> {
        Prompt::system("").tagged(json!({"system": "x"}))
    }
    #[block(generator, model = "m")]
    async fn silent(text: &str) -> Result<Prompt> {
        Ok(Prompt::default().user(text))
    }
    let (_, requests) = ran(tagging, [Reply::text("!")]).await;
    let first = "System Be brief.\n\n<user-name>\n  &lt;Ada&gt;\n  Bo\n</user-name>\n<facts>\n  <age>\n    36\n  </age>\n</facts>";
    assert_eq!(texts(&requests[0]), [first, "System apart"]);
    let error = ran(reserved, []).await.0.unwrap_err();
    assert_eq!((error.code(), error.path()), ("context_invalid", "reserved"));
    let (_, requests) = ran(silent, [Reply::text("!")]).await;
    assert_eq!((texts(&requests[0]), requests[0].system()), (vec!["User go".to_owned()], ""));
}

/// A context that was longer in the step before leaves nothing behind.
#[tokio::test]
async fn the_system_texts_are_those_of_the_newest_prompt() {
    #[block(generator, model = "m", state = Notes, tools = [write])]
    async fn changing(text: &str, ctx: Ctx) -> Result<Prompt> {
        let prompt = Prompt::system("s").user(text);
        Ok(match ctx.self_.notes.with(Vec::len) {
            0 => prompt.context("long").context("longer"),
            1 => prompt.context("a").context("b").context("c"),
            _ => prompt,
        })
    }
    let script = [
        Reply::tool("write", json!({"text": "x"})),
        Reply::tool("write", json!({"text": "y"})),
        Reply::text("!"),
    ];
    let (_, requests) = ran(changing, script).await;
    assert_eq!(texts(&requests[0])[..3], ["System s", "System long", "System longer"]);
    assert_eq!(texts(&requests[1])[..4], ["System s", "System a", "System b", "System c"]);
    assert_eq!(texts(&requests[2])[..2], ["System s", "User go"]);
}

#[tokio::test]
async fn the_function_may_write_and_its_failure_is_the_generators() {
    #[block(generator, model = "m", state = Notes, tools = [double])]
    fn counting(_: String, ctx: &Ctx) -> Result<Prompt> {
        ctx.self_.notes.push("asked".into())?;
        if ctx.self_.notes.with(Vec::len) == 3 {
            return Err(Error::with_code("too_many", "three are too many"));
        }
        Ok(Prompt::system(ctx.self_.notes.with(Vec::len).to_string()))
    }
    let call = || Reply::tool("double", json!({"input": 1}));
    let (done, requests) = ran(counting, [call(), call()]).await;
    let error = done.unwrap_err();
    assert_eq!((error.code(), error.path()), ("too_many", "counting"));
    assert_eq!(requests.iter().map(ModelRequest::system).collect::<Vec<_>>(), ["1", "2"]);
}

// Models.

#[tokio::test]
async fn models_are_found_by_name() {
    let (a, b) = (ScriptedModel::new([Reply::text("a")]), ScriptedModel::new([Reply::text("b")]));
    let app = App::builder().model(b).model_as("intent/chat", a).build().unwrap();
    #[block(generator, model = "intent/other")]
    async fn other(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text))
    }
    assert_eq!(app.run(plain, String::new()).await.unwrap(), "a");
    assert_eq!(app.run(other, String::new()).await.unwrap(), "b");
}

#[tokio::test]
async fn an_unknown_model_fails_before_anything_runs() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    #[block(handler)]
    async fn before(text: String) -> Result<String> {
        RAN.fetch_add(1, Ordering::Relaxed);
        Ok(text)
    }
    #[block(sequencer)]
    fn both(input: String) -> String {
        input.step(before).step(plain)
    }
    flow! {
        #[flow(kind = "talk")]
        struct Talk {
            both: both,
        }
    }
    let model = ScriptedModel::new([]);
    let builder = || App::builder().model_as("intent/plan", model.clone());
    let error = builder().flow(Talk).build().unwrap_err();
    assert_eq!(error.code(), "unknown_model");
    let text = "generator `both > plain` asks the model `intent/chat`, and the app does not know it; it knows \
                `intent/plan`: call `.model_as(\"intent/chat\", …)`, or `.model(…)` for every name";
    assert_eq!(error.to_string(), text);
    let error = builder().build().unwrap().run(both, String::new()).await.unwrap_err();
    assert_eq!((error.code(), RAN.load(Ordering::Relaxed)), ("unknown_model", 0));
    let error = flowstate::run(plain, String::new()).await.unwrap_err();
    assert!(error.to_string().contains("it knows none"), "{error}");
}

#[tokio::test]
async fn a_prompt_may_name_its_model() {
    #[block(generator, model = "a")]
    async fn choosy(name: &str) -> Result<Prompt> {
        Ok(Prompt::system("").model(name))
    }
    let [a, b] = ["a", "b"].map(|name| (name, ScriptedModel::new([Reply::text(name)])));
    let app = App::builder().model_as(a.0, a.1).model_as(b.0, b.1).build().unwrap();
    assert_eq!(app.run(choosy, "b".to_string()).await.unwrap(), "b");
    let error = app.run(choosy, "c".to_string()).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("unknown_model", "choosy"));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_is_asked_again_and_then_the_next() {
    #[block(generator, model = ["a", "list", "b"])]
    async fn stubborn(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text))
    }
    let run = async |a: Vec<Reply>, b: Vec<Reply>| {
        let (a, b) = (ScriptedModel::named("a", a), ScriptedModel::named("b", b));
        // the list names them again: each is asked once
        let app = App::builder().model_as("a", a.clone()).model_as("b", b.clone());
        let app = app.model_list("list", ["a", "b"]).build().unwrap();
        let began = tokio::time::Instant::now();
        let done = app.run(stubborn, String::new()).await;
        (done, a.requests().len(), b.requests().len(), began.elapsed())
    };
    let hello = || Reply::text("hello");
    let failed = |text: &str| Reply::error(ModelError::new("a", text).with_status(401));

    // once more, after a second
    let (done, a, b, took) = run(vec![temporary(503), hello()], vec![]).await;
    assert_eq!((done.unwrap().as_str(), a, b, took), ("hello", 2, 0, Duration::from_secs(1)));
    // as long as the provider says
    let late = ModelError::new("a", "slow down").with_retry_after(Duration::from_secs(20));
    let (done, a, _, took) = run(vec![Reply::error(late), hello()], vec![]).await;
    assert_eq!((done.unwrap().as_str(), a, took), ("hello", 2, Duration::from_secs(20)));
    // and not where that is too long
    let late = ModelError::new("a", "slow down").with_retry_after(Duration::from_secs(3600));
    let (done, a, b, took) = run(vec![Reply::error(late)], vec![hello()]).await;
    assert_eq!((done.unwrap().as_str(), a, b, took), ("hello", 1, 1, Duration::ZERO));
    // twice, and then the next; what cannot pass is not tried again
    let (done, a, b, _) = run(vec![temporary(500), temporary(500)], vec![hello()]).await;
    assert_eq!((done.unwrap().as_str(), a, b), ("hello", 2, 1));
    let (done, a, b, _) = run(vec![failed("no such key")], vec![hello()]).await;
    assert_eq!((done.unwrap().as_str(), a, b), ("hello", 1, 1));
    // after the first piece there is no other model
    let begun = hello().then_error(ModelError::new("a", "lost").with_status(500));
    let (done, a, b, _) = run(vec![begun], vec![hello()]).await;
    let error = done.unwrap_err();
    assert_eq!((error.code(), error.retryable(), a, b), ("model_error", true, 1, 0));
    assert_eq!(error.downcast_ref::<ModelError>().unwrap().status(), Some(500));
    // all of them
    let (done, ..) = run(vec![failed("closed")], vec![failed("gone")]).await;
    let error = done.unwrap_err();
    assert_eq!((error.code(), error.retryable()), ("model_error", false));
    assert_eq!(
        error.to_string(),
        "all models failed:\n- model `a` failed with status 401: closed\n- model `a` failed with status 401: gone"
    );
}

#[tokio::test]
async fn a_list_of_models_names_models() {
    let build = |names: &[&str]| {
        let app = App::builder().model_as("a", ScriptedModel::new([]));
        app.model_list("list", names.iter().copied()).build()
    };
    build(&["a"]).unwrap();
    for (names, says) in [(&["a", "b"][..], "names `b`"), (&[], "is empty")] {
        let error = build(names).unwrap_err();
        assert_eq!(error.code(), "app_invalid");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn an_error_of_a_model_shows_no_key() {
    let error = ModelError::new("p/m", "denied: sk-abcdefghijkl for Bearer eyJhbGciOi and more");
    assert_eq!(error.to_string(), "model `p/m` failed: denied: [key] for Bearer [key] and more");
    assert!(!format!("{error:?}").contains("abcdef"));
    let error: Error = error.with_status(429).into();
    assert_eq!((error.code(), error.retryable()), ("model_error", true));
}

// Structured output.

#[data]
#[derive(PartialEq)]
struct Verdict {
    approved: bool,
    score: u32,
}

#[block(generator, model = "intent/chat", tools = [double])]
async fn judge(case: &str) -> Result<Prompt<Verdict>> {
    Ok(Prompt::system("Judge.").user(case))
}

#[tokio::test]
async fn structured_output_is_asked_for_by_its_schema() {
    let script = [
        Reply::tool("double", json!({"input": 1})).after([Delta::Text("Let me think.".into())]),
        Reply::text(r#"{"approved": true, "score": 3}"#),
    ];
    let (done, requests) = ran(judge, script).await;
    assert_eq!(done.unwrap(), Verdict { approved: true, score: 3 });
    for request in requests {
        let schema = request.response_schema.unwrap();
        assert_eq!(schema["properties"]["score"]["type"], "integer");
        assert_eq!(schema["required"], json!(["approved", "score"]));
    }
}

/// What is no object is one for the model.
#[tokio::test]
async fn structured_output_of_every_shape() {
    #[data]
    #[derive(PartialEq)]
    enum Mood {
        Good,
        Bad { why: String },
    }
    #[block(generator, model = "m")]
    async fn moods(_: &str) -> Result<Prompt<Vec<Mood>>> {
        Ok(Prompt::system(""))
    }
    #[block(generator, model = "m")]
    async fn count(_: &str) -> Result<Prompt<u64>> {
        Ok(Prompt::system(""))
    }
    let (done, requests) =
        ran(moods, [Reply::text(r#"{"output": ["Good", {"Bad": {"why": "rain"}}]}"#)]).await;
    assert_eq!(done.unwrap(), [Mood::Good, Mood::Bad { why: "rain".into() }]);
    let schema = requests[0].response_schema.as_ref().unwrap();
    assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["output"])));
    assert!(schema["$defs"]["Mood"].is_object(), "{schema}");
    let (done, _) = ran(count, [Reply::text("7")]).await;
    assert_eq!(done.unwrap(), 7);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_names_the_field() {
    #[block(generator, model = "m", repair(off))]
    async fn strict(_: &str) -> Result<Prompt<Verdict>> {
        Ok(Prompt::system(""))
    }
    let (done, requests) = ran(strict, [Reply::text(r#"{"approved": true, "score": "x"}"#)]).await;
    let error = done.unwrap_err();
    assert_eq!((error.code(), error.path(), requests.len()), ("validation_error", "strict", 1));
    let wrong = error.downcast_ref::<ValidationError>().unwrap();
    assert_eq!(wrong.path(), "score");
    assert_eq!(
        error.to_string(),
        "what the model answered to `strict` does not fit: `score`: invalid type: string \"x\", expected u32"
    );
    // not even fences
    let (done, _) =
        ran(strict, [Reply::text("```json\n{\"approved\": true, \"score\": 1}\n```")]).await;
    assert_eq!(done.unwrap_err().code(), "validation_error");
}

#[tokio::test]
async fn slightly_broken_json_is_mended() {
    for text in [
        "```json\n{\"approved\": true, \"score\": 3}\n```",
        "{'approved': true, 'score': 3,}",
        "{approved: true, score: 3",
        r#"{"output": {"approved": true, "score": 3}}"#,
    ] {
        let (done, requests) = ran(judge, [Reply::text(text)]).await;
        assert_eq!(done.unwrap(), Verdict { approved: true, score: 3 }, "{text}");
        assert_eq!(requests.len(), 1);
    }
}

#[tokio::test]
async fn another_model_mends_what_cannot_be_mended() {
    #[block(generator, model = "chat", repair(coerce = "mender"))]
    async fn mended(_: &str) -> Result<Prompt<Verdict>> {
        Ok(Prompt::system("Judge."))
    }
    let run = async |replies: Vec<Reply>| {
        let chat = ScriptedModel::new([Reply::text("Approved, with three points.")]);
        let mender = ScriptedModel::new(replies);
        let app = App::builder().model_as("chat", chat).model_as("mender", mender.clone());
        let done = app.build().unwrap().run(mended, String::new()).await;
        (done, mender.requests())
    };
    let (done, requests) = run(vec![Reply::text("{'approved': true, score: 3}")]).await;
    assert_eq!(done.unwrap(), Verdict { approved: true, score: 3 });
    let asked = requests[0].last_user();
    assert!(
        asked.contains("Approved, with three points.") && asked.contains("\"score\""),
        "{asked}"
    );
    assert_eq!(requests[0].response_schema, None);
    // the first error is the one that is said
    for reply in [Reply::text("no idea"), temporary(401)] {
        let (done, requests) = run(vec![reply]).await;
        let error = done.unwrap_err();
        assert_eq!((error.code(), requests.len()), ("validation_error", 1));
        assert!(error.to_string().contains("`mended`"), "{error}");
    }
    // its model must be there
    let app = App::builder().model_as("chat", ScriptedModel::new([])).build().unwrap();
    let error = app.run(mended, String::new()).await.unwrap_err();
    assert_eq!(error.code(), "unknown_model");
    assert!(error.to_string().contains("`mender`"), "{error}");
}

/// Where nothing is said, it is `intent/utility`, if the app has it.
#[tokio::test]
async fn the_utility_model_mends() {
    let wrong = || ScriptedModel::new([Reply::text("Yes!")]);
    let right = ScriptedModel::new([Reply::text(r#"{"approved": true, "score": 3}"#)]);
    let builder = App::builder().model_as("intent/chat", wrong());
    let app = builder.model_as("intent/utility", right).build().unwrap();
    assert_eq!(app.run(judge, String::new()).await.unwrap().score, 3);
    let app = App::builder().model_as("intent/chat", wrong()).build().unwrap();
    assert_eq!(app.run(judge, String::new()).await.unwrap_err().code(), "validation_error");
}

// Tools.

#[tokio::test]
async fn tools_have_names_and_texts_of_their_own() {
    #[block(handler, name = "read/it", description = "Reads.")]
    async fn read(n: u32) -> Result<Vec<u32>> {
        Ok(vec![0; n as usize])
    }
    #[block(handler, name = "read.it")]
    async fn read_again(_: ()) -> Result<()> {
        Ok(())
    }
    #[block(generator, model = "m", tools = [
        read,
        read_again,
        list = read,
        short = read.map_model_output(|all: &Vec<u32>| format!("{} numbers", all.len())),
        double.as_tool("twice", "Two times."),
    ])]
    async fn namer(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    let script = [
        Reply::tools([
            ("read_it", json!({"input": 1})),
            ("read_it_2", json!({})),
            ("list", json!({"input": 2})),
            ("short", json!({"input": 3})),
            ("twice", json!({"input": 4})),
        ]),
        Reply::text("!"),
    ];
    let (done, requests) = ran(namer, script).await;
    done.unwrap();
    let told: Vec<_> =
        requests[0].tools().iter().map(|t| (t.name.as_str(), t.description.as_str())).collect();
    assert_eq!(
        told,
        [
            ("read_it", "Reads."),
            ("read_it_2", ""),
            ("list", "Reads."),
            ("short", "Reads."),
            ("twice", "Two times."),
        ]
    );
    let shown: Vec<_> = results(&requests[1]).into_iter().map(|r| r.text).collect();
    assert_eq!(shown, ["[0]", "null", "[0,0]", "3 numbers", "8"]);
}

#[tokio::test]
async fn two_tools_of_one_name_are_refused() {
    #[block(generator, model = "m", tools = [double, other = write.as_tool("double", ""), third = fail.as_tool("double", "")], state = Notes)]
    async fn given(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    // a name in the list is the last word
    let (done, requests) = ran(given, [Reply::text("!")]).await;
    done.unwrap();
    let told: Vec<_> = requests[0].tools().iter().map(|t| t.name.as_str()).collect();
    assert_eq!(told, ["double", "other", "third"]);

    #[block(generator, model = "m", tools = [double, fail.as_tool("double", "")])]
    async fn twice(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    let (done, requests) = ran(twice, [Reply::text("!")]).await;
    let error = done.unwrap_err();
    assert_eq!((error.code(), requests.len()), ("tools_invalid", 0));
    assert_eq!(error.to_string(), "there are two tools of the name `double`");
}

#[tokio::test]
async fn each_step_has_the_tools_that_its_prompt_names() {
    #[block(generator, model = "m", tools = [double, later = fail, write], state = Notes)]
    async fn choosing(_: &str, ctx: Ctx) -> Result<Prompt> {
        let prompt = Prompt::system("");
        Ok(match ctx.self_.notes.with(Vec::len) {
            0 => prompt.tools([Tool::Write, Tool::Double]),
            1 => prompt.tools(vec![ChoosingTool::Later]),
            2 => prompt.without_tools(),
            _ => prompt,
        })
    }
    let script = [
        Reply::tools([("write", json!({"text": "a"})), ("later", json!({}))]),
        Reply::tools([("write", json!({"text": "b"}))]),
        Reply::text("!"),
    ];
    let (done, requests) = ran(choosing, script).await;
    done.unwrap();
    let told = |n: usize| -> Vec<String> {
        requests[n].tools().iter().map(|tool| tool.name.clone()).collect()
    };
    assert_eq!((told(0), told(1)), (vec!["double".into(), "write".into()], vec!["later".into()]));
    // what the model was not told of is not there
    let shown: Vec<_> = results(&requests[2]).into_iter().map(|r| r.text).collect();
    assert_eq!(shown[1], "there is no tool `later`; there is `double`, `write`");
    assert_eq!(shown[2], "there is no tool `write`; there is `later`");

    #[block(generator, model = "m", tools = [double])]
    async fn borrowing(_: &str) -> Result<Prompt> {
        Ok(Prompt::system("").tools([ChoosingTool::Write]))
    }
    let error = ran(borrowing, []).await.0.unwrap_err();
    assert_eq!(error.code(), "tools_invalid");
}

/// Sequencers, routers and generators are tools, too, and a generator may be its own.
#[tokio::test]
async fn every_sort_of_block_is_a_tool() {
    #[block(sequencer)]
    fn quadruple(n: u32) -> u32 {
        n.step(double).step(double)
    }
    #[block(router, routes = [double, quadruple])]
    async fn by_size(n: &u32) -> Result<Route> {
        Ok(if *n > 9 { Route::Double } else { Route::Quadruple })
    }
    #[block(generator, model = "m", tools = [quadruple, by_size, again(deep)])]
    async fn deep(text: String, ctx: Ctx) -> Result<Prompt> {
        Ok(Prompt::system(ctx.path()).user(text))
    }
    let script = [
        Reply::tools([("quadruple", json!({"input": 1})), ("by_size", json!({"input": 10}))]),
        Reply::tool("deep", json!({"input": "inner"})),
        Reply::text("from inside"),
        Reply::text("from outside"),
    ];
    let (done, requests) = ran(deep, script).await;
    assert_eq!(done.unwrap(), "from outside");
    let shown: Vec<_> = results(&requests[3]).into_iter().map(|r| r.text).collect();
    assert_eq!(shown, ["4", "20", "from inside"]);
    assert_eq!((requests[2].system(), requests[2].last_user()), ("deep > deep", "inner"));
}

#[tokio::test]
async fn a_generator_is_a_step_and_can_be_rescued() {
    #[block(handler)]
    async fn sorry(failed: Rescued) -> Result<String> {
        Ok(format!("sorry: {}", failed.code()))
    }
    #[block(sequencer, state = Notes)]
    fn pipeline(input: String) -> String {
        input.step(inner).step(plain.rescue::<ModelError>(sorry))
    }
    #[block(generator, model = "m", parent = Notes, sequencer = Notes)]
    async fn inner(text: &str, ctx: Ctx) -> Result<Prompt> {
        ctx.parent.notes.push("seen".into())?;
        Ok(Prompt::system(ctx.sequencer.notes.get().join(" ")).user(text))
    }
    let (done, requests) = ran(pipeline, [Reply::text("one"), temporary(401)]).await;
    assert_eq!(done.unwrap(), "sorry: model_error");
    assert_eq!((requests[0].system(), requests[1].last_user()), ("seen", "one"));
}

#[tokio::test]
async fn a_generator_alone_under_test() {
    #[block(generator, model = "m", parent = Notes)]
    async fn inner(text: &str, ctx: Ctx) -> Result<Prompt> {
        ctx.parent.notes.push("seen".into())?;
        Ok(Prompt::system("").user(text))
    }
    let model = ScriptedModel::new([Reply::text("yes"), Reply::text("no")]);
    let test = || flowstate::test(inner).parent(Notes { notes: vec![] });
    let tested = test().model(model.clone()).run(String::new()).await.unwrap();
    assert_eq!((tested.output.as_str(), tested.parent::<Notes>().notes.len()), ("yes", 1));
    let tested = test().model_as("m", model.clone()).run(String::new()).await.unwrap();
    assert_eq!((tested.output.as_str(), model.left()), ("no", 0));
    assert_eq!(test().run(String::new()).await.unwrap_err().code(), "unknown_model");
}

// Items.

/// All items of a run, put together, and its output.
async fn heard<B: IntoBlock<Block: flowstate::Block<Input = String>>>(
    block: B,
    replies: impl IntoIterator<Item = Reply>,
) -> (Vec<Item>, Vec<String>, Result<<B::Block as flowstate::Block>::Output>) {
    let model = ScriptedModel::new(replies);
    let mut run = app(&model).start(block, "go".to_string()).await.unwrap();
    let events: Vec<_> = run.events().collect().await;
    let deltas = events.iter().filter_map(|event| match &event.kind {
        EventKind::Delta { text, .. } => Some(text.clone()),
        _ => None,
    });
    (fold(&events), deltas.collect(), run.output().await)
}

fn told(items: &[Item]) -> Vec<String> {
    let each = items.iter().map(|item| {
        let what = match item.kind() {
            ItemKind::Message(message) => format!("message {}", message.text()),
            ItemKind::Reasoning(reasoning) => format!("reasoning {}", reasoning.text),
            ItemKind::Source(source) => format!("source {} {:?}", source.url, source.title),
            ItemKind::ToolOutput(tool) => format!(
                "{} {} {} -> {:?} {:?}",
                tool.step,
                tool.tool,
                tool.arguments,
                tool.output.as_ref().map(Value::to_string),
                tool.error
            ),
            ItemKind::ModelUsage(usage) => format!(
                "usage {} {} {}+{}",
                usage.model, usage.answers, usage.input_tokens, usage.output_tokens
            ),
            ItemKind::Error(failure) => format!("error {}", failure.code),
            other => format!("{other:?}"),
        };
        format!("{} {what} ({:?})", item.block, item.status)
    });
    each.collect()
}

#[block(generator, model = "m", tools = [double, fail], visibility(client))]
async fn shown(text: &str) -> Result<Prompt> {
    Ok(Prompt::system("").user(text))
}

fn talkative() -> [Reply; 2] {
    [
        Reply::tools([("double", json!({"input": 2})), ("fail", json!({}))])
            .after([
                Delta::Reasoning("hm".into()),
                Delta::Reasoning("m".into()),
                Delta::Source { url: "http://a".into(), title: Some("A".into()) },
                Delta::Text("A".into()),
                Delta::Text(".".into()),
            ])
            .usage(10, 2),
        Reply::stream([Delta::Text("B.".into())]).usage(20, 3),
    ]
}

#[tokio::test]
async fn a_visible_generator_streams_what_its_model_says() {
    let (items, deltas, done) = heard(shown, talkative()).await;
    assert_eq!(done.unwrap(), "A.\n\nB.");
    assert_eq!(
        told(&items),
        [
            "shown reasoning hmm (Completed)",
            "shown source http://a Some(\"A\") (Completed)",
            "shown message A.\n\nB. (Completed)",
            "shown 0 double {\"input\":2} -> Some(\"4\") None (Completed)",
            "shown 0 fail {} -> None Some(\"the disk is full\") (Failed)",
            "shown usage test/scripted 2 30+5 (Completed)",
        ]
    );
    assert_eq!(deltas, ["hm", "m", "A", ".", "\n\n", "B."]);
    let seen = |item: &Item| (item.visibility.client, item.visibility.history);
    assert_eq!((seen(&items[2]), seen(&items[3])), ((true, false), (true, true)));
    assert_eq!(seen(&items[5]), (false, false));
}

#[tokio::test]
async fn one_that_does_not_say_who_sees_it_streams_its_tools_alone() {
    #[block(generator, model = "m", tools = [double, fail])]
    async fn quiet(text: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(text))
    }
    let (items, deltas, done) = heard(quiet, talkative()).await;
    assert_eq!(done.unwrap(), "A.\n\nB.");
    assert_eq!(
        told(&items),
        [
            "quiet 0 double {\"input\":2} -> Some(\"4\") None (Completed)",
            "quiet 0 fail {} -> None Some(\"the disk is full\") (Failed)",
            "quiet usage test/scripted 2 30+5 (Completed)",
        ]
    );
    assert!(deltas.is_empty());
}

#[tokio::test]
async fn structured_output_is_no_message() {
    #[block(generator, model = "m", visibility(client, history))]
    async fn structured(_: &str) -> Result<Prompt<u32>> {
        Ok(Prompt::system(""))
    }
    let reply = Reply::text("3").after([Delta::Reasoning("hm".into())]);
    let (items, _, done) = heard(structured, [reply]).await;
    assert_eq!(done.unwrap(), 3);
    assert_eq!(
        told(&items),
        ["structured reasoning hm (Completed)", "structured usage test/scripted 1 0+0 (Completed)"]
    );
}

#[tokio::test]
async fn what_breaks_off_is_incomplete_and_its_cost_is_still_said() {
    let [first, _] = talkative();
    let lost = Reply::stream([Delta::Text("B".into())]).then_error(ModelError::new("m", "lost"));
    let (items, _, done) = heard(shown, [first, lost]).await;
    assert_eq!(done.unwrap_err().code(), "model_error");
    let told = told(&items);
    assert_eq!(told[2], "shown message A.\n\nB (Incomplete)");
    assert!(told.contains(&"shown usage test/scripted 1 10+2 (Completed)".to_string()), "{told:?}");
    assert_eq!(items.last().unwrap().status, Status::Failed);
}

#[tokio::test]
async fn a_cancelled_request_drops_its_tools() {
    struct Guard(Arc<AtomicUsize>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    #[block(handler, needs = [Arc<AtomicUsize>])]
    async fn hang(_: (), ctx: Ctx) -> Result<()> {
        let _guard = Guard(ctx.needs.arc.clone());
        std::future::pending().await
    }
    #[block(generator, model = "m", tools = [hang])]
    async fn hangs(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    let model = ScriptedModel::new([Reply::tool("hang", json!({}))]);
    let app = App::builder().model(model).provide(dropped.clone()).build().unwrap();
    let mut run = app.start(hangs, String::new()).await.unwrap();
    let first = run.events().next().await.unwrap();
    assert!(matches!(first.kind, EventKind::Added(_)), "{first:?}");
    tokio::task::yield_now().await;
    run.cancel().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}
