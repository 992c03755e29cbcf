//! The adapter for the other providers, over HTTP, in the wire format of Anthropic's messages, against a server that each test
//! starts.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flowstate::model::*;
use flowstate::prelude::*;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::loopback::{Answer, EVENTS, KEY, Server, ask, plain, question};

fn model_of(server: &Server) -> GenAi {
    GenAi::new("anthropic/m-1").unwrap().base_url(&server.url).api_key(KEY)
}

fn event(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
}

/// The events of an answer, between its beginning and its end.
fn events(all: &[Value], reason: &str) -> Vec<u8> {
    let usage = json!({"input_tokens": 7, "cache_read_input_tokens": 4, "output_tokens": 1});
    let begin = json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "usage": usage}});
    let end = [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    let all = [begin, json!({"type": "ping"})].into_iter().chain(all.iter().cloned()).chain(end);
    all.map(|one| event(&one)).collect::<String>().into_bytes()
}

fn streamed(all: &[Value], reason: &str) -> Answer {
    Answer::Pieces(EVENTS, vec![events(all, reason)])
}

/// A block of content in these pieces.
fn block(index: usize, begin: &Value, pieces: &[Value]) -> Vec<Value> {
    let begin = json!({"type": "content_block_start", "index": index, "content_block": begin});
    let pieces = pieces
        .iter()
        .map(|piece| json!({"type": "content_block_delta", "index": index, "delta": piece}));
    let end = json!({"type": "content_block_stop", "index": index});
    [begin].into_iter().chain(pieces).chain([end]).collect()
}

fn text(pieces: &[&str]) -> Vec<Value> {
    let delta = |text: &&str| json!({"type": "text_delta", "text": text});
    let pieces: Vec<_> = pieces.iter().map(delta).collect();
    block(0, &json!({"type": "text", "text": ""}), &pieces)
}

fn call(index: usize, id: &str, name: &str, arguments: &[&str]) -> Vec<Value> {
    let delta = |text: &&str| json!({"type": "input_json_delta", "partial_json": text});
    let pieces: Vec<_> = arguments.iter().map(delta).collect();
    block(index, &json!({"type": "tool_use", "id": id, "name": name, "input": {}}), &pieces)
}

async fn answer_of(answer: Answer) -> (Vec<Delta>, Option<ModelError>) {
    ask(&model_of(&Server::new(vec![answer]).await), &question()).await
}

async fn refusal(answer: Answer) -> ModelError {
    let (pieces, error) = answer_of(answer).await;
    assert_eq!(pieces, []);
    error.unwrap()
}

fn used() -> Delta {
    let mut usage = Usage::new(11, 9);
    usage.cached_tokens = 4;
    Delta::Usage(usage)
}

#[tokio::test]
async fn a_question_is_sent_in_the_protocol() {
    let server = Server::new(vec![streamed(&text(&["Hi."]), "end_turn")]).await;
    let (pieces, error) = ask(&model_of(&server), &question()).await;
    let wanted = vec![Delta::Text("Hi.".into()), Delta::Finish(FinishReason::Stop), used()];
    assert_eq!((pieces, error), (wanted, None));
    let (head, body) = server.asked.lock().unwrap()[0].clone();
    assert!(head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("x-api-key: {KEY}\r\n")), "{head}");
    assert!(head.contains("anthropic-version: "), "{head}");
    let wanted = json!({
        "model": "m-1", "system": "Be brief.", "messages": [{"role": "user", "content": "Hi?"}],
        "stream": true, "max_tokens": body["max_tokens"],
    });
    assert_eq!(body, wanted);
    // the protocol wants one
    assert!(body["max_tokens"].as_u64().unwrap() > 1000);
}

#[tokio::test]
async fn options_tools_and_what_was_called_are_sent() {
    let server = Server::new(vec![streamed(&[], "end_turn")]).await;
    let (look, rest) =
        (ToolCall::new("c1", "look", r#"{"at":1}"#), ToolCall::new("c2", "rest", "{brok"));
    let mut request = question();
    let mut said = Message::assistant("");
    if let Message::Assistant { tool_calls, .. } = &mut said {
        *tool_calls = vec![look.clone(), rest.clone()];
    }
    request.messages.extend([
        Message::assistant("Hello."),
        Message::user("Look."),
        said,
        Message::Tool(ToolResult::of(&look, "42".into(), false)),
        Message::Tool(ToolResult::of(&rest, "no JSON".into(), true)),
        Message::user("And?"),
        Message::system("Hurry."),
    ]);
    request.tools = vec![ToolDef::new("look", "Looks.", json!({"type": "object"}))];
    request.options.temperature = Some(0.7);
    request.options.max_tokens = Some(9);
    request.options.stop = vec!["END".into()];
    let model = model_of(&server).field("top_k", 7);
    assert_eq!(ask(&model, &request).await.1, None);
    let body = server.body(0);
    assert_eq!(body["system"], "Be brief.\n\nHurry.");
    assert_eq!(
        body["messages"].as_array().unwrap()[1..],
        [
            json!({"role": "assistant", "content": "Hello."}),
            json!({"role": "user", "content": "Look."}),
            json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 1}},
                {"type": "tool_use", "id": "c2", "name": "rest", "input": {}},
            ]}),
            // the protocol wants the results of one step in one message
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "42"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no JSON"},
            ]}),
            json!({"role": "user", "content": "And?"}),
        ]
    );
    let tool = json!({"name": "look", "description": "Looks.", "input_schema": {"type": "object"}});
    assert_eq!(body["tools"], json!([tool]));
    let rest =
        ["temperature", "max_tokens", "stop_sequences", "top_k"].map(|key| body[key].clone());
    assert_eq!(rest, [json!(0.7), json!(9), json!(["END"]), json!(7)]);
}

fn long_answer() -> (Vec<u8>, Vec<Delta>) {
    let piece = |index, id: &str, name: &str, arguments: &str| Delta::ToolCall {
        index,
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let thought = block(
        0,
        &json!({"type": "thinking", "thinking": "", "signature": ""}),
        &[
            json!({"type": "thinking_delta", "thinking": "hm"}),
            json!({"type": "signature_delta", "signature": "c2ln"}),
        ],
    );
    let all = [
        thought,
        text(&["Grüße, ", "世界 🦀\n"]),
        call(1, "c1", "look", &["", "{\"at\"", ":1}"]),
        call(2, "c2", "rest", &[]),
    ];
    let parts = json!([{"ThoughtSignature": "c2ln"}, {"ReasoningContent": "hm"}]);
    let pieces = vec![
        Delta::Reasoning("hm".into()),
        Delta::Text("Grüße, ".into()),
        Delta::Text("世界 🦀\n".into()),
        piece(0, "c1", "look", ""),
        piece(0, "", "", ""),
        piece(0, "", "", "{\"at\""),
        piece(0, "", "", ":1}"),
        piece(1, "c2", "rest", ""),
        Delta::Opaque(json!({"provider": "anthropic", "parts": parts})),
        Delta::Finish(FinishReason::ToolCalls),
        used(),
    ];
    (events(&all.concat(), "tool_use"), pieces)
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_is_the_same_answer() {
    let (bytes, pieces) = long_answer();
    let mut answers: Vec<_> = (0..bytes.len())
        .map(|at| Answer::Pieces(EVENTS, vec![bytes[..at].to_vec(), bytes[at..].to_vec()]))
        .collect();
    answers.push(Answer::Pieces(EVENTS, bytes.iter().map(|byte| vec![*byte]).collect()));
    let count = answers.len();
    let server = Server::new(answers).await;
    let model = model_of(&server);
    for at in 0..count {
        assert_eq!(ask(&model, &question()).await, (pieces.clone(), None), "cut at {at}");
    }
}

#[tokio::test]
async fn signed_thoughts_go_back_to_their_provider_alone() {
    let (_, pieces) = long_answer();
    let kept = pieces.into_iter().find_map(|piece| match piece {
        Delta::Opaque(kept) => Some(kept),
        _ => None,
    });
    let mut said = Message::assistant("Hello.");
    if let Message::Assistant { opaque, .. } = &mut said {
        *opaque = vec![
            json!("another's"),
            kept.unwrap(),
            json!({"provider": "gemini", "parts": [{"Text": "x"}]}),
        ];
    }
    let mut request = question();
    request.messages.extend([said, Message::user("And?")]);
    let server = Server::new(vec![streamed(&[], "end_turn")]).await;
    assert_eq!(ask(&model_of(&server), &request).await.1, None);
    let content = json!([
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "Hello."},
    ]);
    assert_eq!(server.body(0)["messages"][1], json!({"role": "assistant", "content": content}));
}

#[tokio::test]
async fn why_an_answer_ends_is_said() {
    for (reason, wanted) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("tool_use", FinishReason::ToolCalls),
        ("refusal", FinishReason::ContentFilter),
        ("pause_turn", FinishReason::Other),
    ] {
        let (pieces, error) = answer_of(streamed(&[], reason)).await;
        assert_eq!((pieces, error), (vec![Delta::Finish(wanted), used()], None), "{reason}");
    }
}

#[tokio::test]
async fn too_many_requests_say_when_to_come_back() {
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
    for (head, wait) in [
        ("429 Too Many Requests\r\nretry-after: 2", Some(2_000)),
        ("429 Too Many Requests\r\nretry-after: 9\r\nretry-after-ms: 1500", Some(1_500)),
        ("429 Too Many Requests\r\nretry-after: Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("529 Overloaded\r\nretry-after: 0.5", Some(500)),
    ] {
        let failed = refusal(plain(head, body)).await;
        assert_eq!((failed.message(), failed.retryable()), ("slow down", true));
        assert_eq!(failed.retry_after(), wait.map(Duration::from_millis), "{head}");
    }
}

#[tokio::test]
async fn a_refusal_says_what_the_server_says() {
    let long = "x".repeat(100_000);
    for (status, body, message, again) in [
        (
            "400 Bad Request",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"no such field"}}"#,
            "no such field",
            false,
        ),
        ("401 Unauthorized", r#"{"error":"who are you"}"#, "who are you", false),
        ("500 Internal Server Error", "<html>oops</html>", "<html>oops</html>", true),
        ("502 Bad Gateway", "", "Bad Gateway", true),
        ("500 Internal Server Error", &long, &long[..300], true),
        (
            "307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/",
            "",
            "Temporary Redirect",
            false,
        ),
    ] {
        let error = refusal(plain(status, body)).await;
        assert_eq!(error.message(), message);
        assert_eq!((error.retryable(), error.model()), (again, "anthropic/m-1"), "{status}");
        assert_eq!(error.status().unwrap().to_string(), status[..3]);
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error_after_what_came() {
    let whole = events(&text(&["Half", "!"]), "end_turn");
    let at = String::from_utf8(whole.clone()).unwrap().find("event: content_block_stop").unwrap();
    let all = vec![Delta::Text("Half".into()), Delta::Text("!".into())];
    for answer in [
        Answer::Pieces(EVENTS, vec![whole[..at].to_vec()]),
        Answer::Cut(vec![whole[..at].to_vec()]),
    ] {
        let (pieces, error) = answer_of(answer).await;
        assert_eq!(pieces, all);
        assert!(error.unwrap().retryable());
    }
    // all was said before the connection went
    let (pieces, error) = answer_of(Answer::Cut(vec![whole])).await;
    assert_eq!((pieces.len(), error), (4, None));
}

#[tokio::test]
async fn what_is_not_of_the_protocol_is_an_error() {
    for (name, status, again) in
        [("overloaded_error", Some(529), true), ("invalid_request_error", None, false)]
    {
        let mut all: Vec<_> = text(&["a"]);
        all.pop();
        all.push(json!({"type": "error", "error": {"type": name, "message": "no more"}}));
        let (pieces, failed) = answer_of(streamed(&all, "end_turn")).await;
        let failed = failed.unwrap();
        assert_eq!(pieces, [Delta::Text("a".into())]);
        let said = (failed.message(), failed.status(), failed.retryable());
        assert_eq!(said, ("no more", status, again));
    }
    let error = refusal(plain(EVENTS, "event: content_block_start\ndata: {nonsense\n\n")).await;
    assert!(
        error.message().starts_with("a piece of the answer is not of the protocol:"),
        "{error}"
    );
    assert!(!error.retryable());

    let error = refusal(Answer::Pieces(EVENTS, vec![b"data: \xff\xff\n\n".to_vec()])).await;
    assert!(
        error.message().starts_with("a piece of the answer is not of the protocol:"),
        "{error}"
    );

    let page = refusal(plain("200 OK\r\ncontent-type: text/html", "<html>log in</html>")).await;
    assert_eq!(page.message(), "the answer broke off");
}

#[tokio::test]
async fn silence_before_and_in_an_answer_is_an_error() {
    let server = Server::new(vec![Answer::Silence]).await;
    let model = model_of(&server).timeout(Duration::from_millis(50));
    let (pieces, error) = ask(&model, &question()).await;
    let error = error.unwrap();
    assert_eq!((pieces.len(), error.message()), (0, "the server was silent for 50ms"));
    assert!(error.retryable());

    let (gone, _gone) = oneshot::channel();
    let server = Server::new(vec![Answer::Endless(BEGUN, gone)]).await;
    let model = model_of(&server).timeout(Duration::from_millis(200));
    let (pieces, error) = ask(&model, &question()).await;
    assert_eq!((pieces.len(), error.unwrap().retryable()), (1, true));
}

const BEGUN: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
                     \"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n";

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let (gone, closed) = oneshot::channel();
    let server = Server::new(vec![Answer::Endless(BEGUN, gone)]).await;
    let (model, request) = (model_of(&server), question());
    let mut stream = model.stream(&request);
    assert_eq!(stream.next().await, Some(Ok(Delta::Text("a".into()))));
    drop(stream);
    tokio::time::timeout(Duration::from_secs(20), closed).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_cancelled_request_closes_the_connection() {
    let (gone, closed) = oneshot::channel();
    let server = Server::new(vec![Answer::Endless(BEGUN, gone)]).await;
    let app = App::builder().model(model_of(&server)).build().unwrap();
    let mut run = app.start(chat, "Hi?".to_string()).await.unwrap();
    let mut events = run.events();
    // its first words are there
    while !format!("{:?}", events.next().await.unwrap()).contains("Delta") {}
    run.cancel().await;
    tokio::time::timeout(Duration::from_secs(20), closed).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_there_is_worth_another_try() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let asked = || GenAi::new("anthropic/m").unwrap().api_key(KEY);
    let model = asked().base_url(format!("http://user:hunter2@127.0.0.1:{port}/v1"));
    let error = ask(&model, &question()).await.1.unwrap();
    assert!(error.retryable() && error.message().contains("onnect"), "{error}");
    assert!(!format!("{error} {error:?} {model:?}").contains("hunter2"));
    let error = ask(&asked().base_url("nowhere"), &question()).await.1.unwrap();
    assert_eq!((error.message(), error.retryable()), ("the base URL is no URL", false));
    let split = asked().base_url("http://user:hunter2@127.0.0.1/").api_key("two\nlines");
    let error = ask(&split, &question()).await.1.unwrap();
    assert!(!error.retryable(), "{error}");
    assert!(
        !["hunter2", "two", "lines"].iter().any(|word| format!("{error:?}").contains(word)),
        "{error}"
    );
}

#[tokio::test]
async fn huge_answers_are_read_and_endless_ones_are_not() {
    let piece = "x".repeat(1 << 20);
    let mut pieces = vec![&*piece; 8];
    pieces.extend(["tiny"; 20_000]);
    let (pieces, error) = answer_of(streamed(&text(&pieces), "end_turn")).await;
    let length: usize =
        pieces.iter().map(|piece| if let Delta::Text(text) = piece { text.len() } else { 0 }).sum();
    assert_eq!((length, error), ((8 << 20) + 4 * 20_000, None));

    let piece = event(&json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": piece}}));
    let (_, error) = answer_of(Answer::Cut(vec![piece.into_bytes(); 70])).await;
    assert_eq!(error.unwrap().message(), "the answer has more than 67108864 bytes");
}

/// What is logged, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        self.0.lock().unwrap().push_str(&format!("{span:?}\n"));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        self.0.lock().unwrap().push_str(&format!("{values:?}\n"));
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        self.0.lock().unwrap().push_str(&format!("{event:?}\n"));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn the_key_is_nowhere() {
    let echo = format!(r#"{{"error":{{"message":"wrong key: {KEY}, Bearer {KEY}"}}}}"#);
    let in_stream = event(&json!({"type": "error", "error": {"message": format!("not {KEY}")}}));
    let server = Server::new(vec![
        plain("401 Unauthorized", &echo),
        plain("401 Unauthorized", &echo),
        plain(EVENTS, &in_stream),
    ])
    .await;
    let log = Log::default();
    let _logged = tracing::subscriber::set_default(log.clone());
    let model = model_of(&server);
    let error = ask(&model, &question()).await.1.unwrap();
    assert!(error.message().starts_with("wrong key: [key]"), "{error}");

    let app = App::builder().model(model.clone()).build().unwrap();
    let mut run = app.start(chat, "Hi?".to_string()).await.unwrap();
    let mut said = format!("{model:?} {error:?} {error}");
    while let Some(item) = run.next().await {
        said.push_str(&serde_json::to_string(&item).unwrap());
    }
    let error = run.output().await.unwrap_err();
    assert_eq!(error.code(), "model_error");
    let broken = ask(&model, &question()).await.1.unwrap();
    said.push_str(&format!("{error:?} {error} {broken:?}"));
    tracing::info!("the end");
    let logged = log.0.lock().unwrap().clone();
    assert!(!said.contains(KEY) && !logged.contains(KEY), "{said}\n{logged}");
    assert!(said.contains("wrong key") && logged.contains("the end"), "{said}\n{logged}");
}

#[tokio::test]
async fn a_name_says_the_provider() {
    assert!(!GenAi::new("anthropic/m").unwrap().searches());
    for name in ["claude", "nobody/m", "anthropic/", "/m"] {
        let error = GenAi::new(name).unwrap_err();
        assert_eq!(error.code(), "unknown_model");
        let text = error.to_string();
        assert!(text.contains(&format!("`{name}`")) && text.contains("anthropic, "), "{text}");
    }
    let model = GenAi::new("open_router/meta/llama").unwrap();
    assert_eq!(Model::name(&model), "open_router/meta/llama");
}

/// Talks.
#[block(generator, model = "intent/chat", tools = [add], visibility(client))]
async fn chat(text: &str) -> Result<Prompt> {
    Ok(Prompt::system("Talk.").user(text))
}

#[data]
struct Numbers {
    one: u32,
    two: u32,
}

/// Adds two numbers.
#[block(handler)]
async fn add(numbers: Numbers) -> Result<u32> {
    Ok(numbers.one + numbers.two)
}

#[tokio::test]
async fn a_generator_runs_its_tools_over_the_wire() {
    let server = Server::new(vec![
        streamed(&call(0, "c1", "add", &["{\"one\":2,", "\"two\":3}"]), "tool_use"),
        streamed(&text(&["It is ", "5."]), "end_turn"),
    ])
    .await;
    let app = App::builder().model(model_of(&server)).build().unwrap();
    assert_eq!(app.run(chat, "2 and 3?".to_string()).await.unwrap(), "It is 5.");
    assert_eq!(server.body(0)["tools"][0]["name"], "add");
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": "5"});
    let last = server.body(1)["messages"].as_array().unwrap().last().cloned();
    assert_eq!(last, Some(json!({"role": "user", "content": [result]})));
}

#[data]
struct Verdict {
    /// Whether it may.
    approved: bool,
    reason: Option<String>,
    steps: Vec<Numbers>,
}

#[block(generator, model = "intent/chat")]
async fn judge(case: &str) -> Result<Prompt<Verdict>> {
    Ok(Prompt::system("Judge.").user(case))
}

#[data]
struct Loose {
    counts: std::collections::BTreeMap<String, u32>,
}

#[block(generator, model = "intent/chat")]
async fn count(case: &str) -> Result<Prompt<Loose>> {
    Ok(Prompt::system("Count.").user(case))
}

#[tokio::test]
async fn structured_output_is_closed_where_the_schema_can_be_and_else_told() {
    let verdict = r#"{"approved":true,"reason":null,"steps":[{"one":1,"two":2}]}"#;
    let server = Server::new(vec![
        streamed(&text(&[verdict]), "end_turn"),
        streamed(&text(&[r#"{"counts":{"a":1}}"#]), "end_turn"),
    ])
    .await;
    let app = App::builder().model(model_of(&server)).build().unwrap();
    let said = app.run(judge, "x".to_string()).await.unwrap();
    assert!(said.approved && said.steps[0].two == 2);
    let body = server.body(0);
    assert_eq!(
        (&body["system"], &body["output_config"]["format"]["type"]),
        (&json!("Judge."), &json!("json_schema"))
    );
    let schema = &body["output_config"]["format"]["schema"];
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["reason"]["type"], json!(["string", "null"]));
    assert_eq!(schema["$defs"]["Numbers"]["additionalProperties"], false);
    assert!(!schema.to_string().contains("uint"), "{schema}");

    assert_eq!(app.run(count, "x".to_string()).await.unwrap().counts["a"], 1);
    let body = server.body(1);
    assert_eq!(body.get("output_config"), None);
    let system = body["system"].as_str().unwrap();
    assert!(system.starts_with("Answer with JSON that fits this JSON Schema"), "{system}");
    assert!(system.contains("\"counts\"") && system.ends_with("Count."), "{system}");
}

/// Run by `the_environment_says_with_which_key`, in a process of its own.
#[tokio::test]
#[ignore = "another test starts it as a process of its own"]
async fn asks_with_the_key_of_the_environment() {
    let url = std::env::var("TEST_URL").unwrap();
    let (_, error) = ask(&GenAi::new("anthropic/m").unwrap().base_url(url), &question()).await;
    assert_eq!(error, None);
    let error = ask(&GenAi::new("groq/m").unwrap(), &question()).await.1.unwrap();
    assert_eq!(error.message(), "there is no key: set `GROQ_API_KEY`, or call `.api_key(…)`");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_environments_key_is_not_for_another_server() {
    let server = Server::new(vec![streamed(&[], "end_turn")]).await;
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--ignored", "--exact", "genai::asks_with_the_key_of_the_environment"]);
    program.env("TEST_URL", &server.url).env("ANTHROPIC_API_KEY", "from-the-environment");
    program.env_remove("GROQ_API_KEY");
    let done = tokio::task::spawn_blocking(move || program.output().unwrap()).await.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let head = server.asked.lock().unwrap()[0].0.clone();
    assert!(!head.contains("from-the-environment"), "{head}");
}
