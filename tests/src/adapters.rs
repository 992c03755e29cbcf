//! What is the same of the adapters, whichever protocol they speak: each test of `all!` runs with each of them, against a server
//! that the test starts.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flowstate::model::*;
use flowstate::prelude::*;
use futures_util::StreamExt as _;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::loopback::{Answer, EVENTS, KEY, Server, ask, plain, question};

pub(crate) trait Protocol {
    type Model: Model + Clone + Debug;
    /// The name of its model in errors.
    const NAME: &'static str;
    /// One event: more text, "a".
    const BEGUN: &'static str;
    /// Asks this server with `KEY`.
    fn model(url: &str) -> Self::Model;
    fn timeout(model: Self::Model, silence: Duration) -> Self::Model;
    /// A whole answer of these pieces.
    fn said(pieces: &[&str]) -> Vec<u8>;
    /// One event: more text.
    fn more(text: &str) -> String;
    /// One event: an error.
    fn error(text: &str) -> String;
    /// An answer with all there is, and its pieces.
    fn long_answer() -> (Vec<u8>, Vec<Delta>);
}

pub(crate) async fn answer_of<P: Protocol>(answer: Answer) -> (Vec<Delta>, Option<ModelError>) {
    ask(&P::model(&Server::new(vec![answer]).await.url), &question()).await
}

pub(crate) async fn refusal<P: Protocol>(answer: Answer) -> ModelError {
    let (pieces, error) = answer_of::<P>(answer).await;
    assert_eq!(pieces, []);
    error.unwrap()
}

/// The tests of a protocol, each by its name here.
macro_rules! all {
    ($protocol:ty) => {
        $crate::adapters::all!($protocol:
            an_answer_cut_at_any_byte_is_the_same_answer,
            too_many_requests_say_when_to_come_back,
            a_refusal_says_what_the_server_says,
            silence_before_and_in_an_answer_is_an_error,
            dropping_the_stream_closes_the_connection,
            a_cancelled_request_closes_the_connection,
            a_server_that_is_not_there_is_worth_another_try,
            huge_answers_are_read_and_endless_ones_are_not,
            the_key_is_nowhere,
        );
    };
    ($protocol:ty: $($test:ident,)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                $crate::adapters::$test::<$protocol>().await;
            }
        )*
    };
}
pub(crate) use all;

pub(crate) async fn an_answer_cut_at_any_byte_is_the_same_answer<P: Protocol>() {
    let (bytes, pieces) = P::long_answer();
    let mut answers: Vec<_> = (0..bytes.len())
        .map(|at| Answer::Pieces(EVENTS, vec![bytes[..at].to_vec(), bytes[at..].to_vec()]))
        .collect();
    answers.push(Answer::Pieces(EVENTS, bytes.iter().map(|byte| vec![*byte]).collect()));
    let count = answers.len();
    let server = Server::new(answers).await;
    let model = P::model(&server.url);
    for at in 0..count {
        assert_eq!(ask(&model, &question()).await, (pieces.clone(), None), "cut at {at}");
    }
}

pub(crate) async fn too_many_requests_say_when_to_come_back<P: Protocol>() {
    let body =
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down","code":null}}"#;
    for (head, wait) in [
        ("429 Too Many Requests\r\nretry-after: 2", Some(2_000)),
        ("429 Too Many Requests\r\nretry-after: 9\r\nretry-after-ms: 1500", Some(1_500)),
        ("429 Too Many Requests\r\nretry-after: Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("503 Service Unavailable\r\nretry-after: 0.5", Some(500)),
        ("529 Overloaded\r\nretry-after: 0.5", Some(500)),
    ] {
        let failed = refusal::<P>(plain(head, body)).await;
        assert_eq!((failed.message(), failed.retryable()), ("slow down", true));
        assert_eq!(failed.retry_after(), wait.map(Duration::from_millis), "{head}");
    }
    let head = "429 Too Many Requests\r\nretry-after: 2";
    let body = r#"{"error":{"message":"no money","code":"insufficient_quota"}}"#;
    assert!(!refusal::<P>(plain(head, body)).await.retryable());
}

pub(crate) async fn a_refusal_says_what_the_server_says<P: Protocol>() {
    let long = "x".repeat(100_000);
    let places = r#"{"detail":[{"loc":["body"]}]}"#;
    let elsewhere = "307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/";
    for (status, body, message, again) in [
        (
            "400 Bad Request",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"no such field"}}"#,
            "no such field",
            false,
        ),
        ("401 Unauthorized", r#"{"error":"who are you"}"#, "who are you", false),
        ("404 Not Found", r#"{"detail":"no model"}"#, "no model", false),
        ("422 Unprocessable", places, places, false),
        ("500 Internal Server Error", "<html>oops</html>", "<html>oops</html>", true),
        ("502 Bad Gateway", "", "Bad Gateway", true),
        ("500 Internal Server Error", &long, &long[..300], true),
        (elsewhere, "", "Temporary Redirect", false),
    ] {
        let error = refusal::<P>(plain(status, body)).await;
        assert_eq!(error.message(), message);
        assert_eq!((error.retryable(), error.model()), (again, P::NAME), "{status}");
        assert_eq!(error.status().unwrap().to_string(), status[..3]);
    }
}

pub(crate) async fn silence_before_and_in_an_answer_is_an_error<P: Protocol>() {
    let server = Server::new(vec![Answer::Silence]).await;
    let model = P::timeout(P::model(&server.url), Duration::from_millis(50));
    let (pieces, error) = ask(&model, &question()).await;
    let error = error.unwrap();
    assert_eq!((pieces.len(), error.message()), (0, "the server was silent for 50ms"));
    assert!(error.retryable());

    let (gone, _gone) = oneshot::channel();
    let server = Server::new(vec![Answer::Endless(P::BEGUN, gone)]).await;
    let model = P::timeout(P::model(&server.url), Duration::from_millis(200));
    let (pieces, error) = ask(&model, &question()).await;
    assert_eq!((pieces.len(), error.unwrap().retryable()), (1, true));
}

pub(crate) async fn dropping_the_stream_closes_the_connection<P: Protocol>() {
    let (gone, closed) = oneshot::channel();
    let server = Server::new(vec![Answer::Endless(P::BEGUN, gone)]).await;
    let (model, request) = (P::model(&server.url), question());
    let mut stream = model.stream(&request);
    assert_eq!(stream.next().await, Some(Ok(Delta::Text("a".into()))));
    drop(stream);
    tokio::time::timeout(Duration::from_secs(20), closed).await.unwrap().unwrap();
}

pub(crate) async fn a_cancelled_request_closes_the_connection<P: Protocol>() {
    let (gone, closed) = oneshot::channel();
    let server = Server::new(vec![Answer::Endless(P::BEGUN, gone)]).await;
    let app = App::builder().model(P::model(&server.url)).build().unwrap();
    let mut run = app.start(chat, "Hi?".to_string()).await.unwrap();
    let mut events = run.events();
    // its first words are there
    while !format!("{:?}", events.next().await.unwrap()).contains("Delta") {}
    run.cancel().await;
    tokio::time::timeout(Duration::from_secs(20), closed).await.unwrap().unwrap();
}

pub(crate) async fn a_server_that_is_not_there_is_worth_another_try<P: Protocol>() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let model = P::model(&format!("http://user:hunter2@127.0.0.1:{port}/v1"));
    let error = ask(&model, &question()).await.1.unwrap();
    assert!(error.retryable() && error.message().contains("onnect"), "{error}");
    assert!(!format!("{error} {error:?} {model:?}").contains("hunter2"));
    let error = ask(&P::model("nowhere"), &question()).await.1.unwrap();
    assert_eq!((error.message(), error.retryable()), ("the base URL is no URL", false));
}

pub(crate) async fn huge_answers_are_read_and_endless_ones_are_not<P: Protocol>() {
    let piece = "x".repeat(1 << 20);
    let mut pieces = vec![&*piece; 8];
    pieces.extend(["tiny"; 20_000]);
    let (pieces, error) = answer_of::<P>(Answer::Pieces(EVENTS, vec![P::said(&pieces)])).await;
    let length: usize =
        pieces.iter().map(|piece| if let Delta::Text(text) = piece { text.len() } else { 0 }).sum();
    assert_eq!((length, error), ((8 << 20) + 4 * 20_000, None));

    let piece = P::more(&piece).into_bytes();
    let (_, error) = answer_of::<P>(Answer::Cut(vec![piece; 70])).await;
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

pub(crate) async fn the_key_is_nowhere<P: Protocol>() {
    let echo = format!(r#"{{"error":{{"message":"wrong key: {KEY}, Bearer {KEY}"}}}}"#);
    let server = Server::new(vec![
        plain("401 Unauthorized", &echo),
        plain("401 Unauthorized", &echo),
        plain(EVENTS, &P::error(&format!("not {KEY}"))),
    ])
    .await;
    let log = Log::default();
    let _logged = tracing::subscriber::set_default(log.clone());
    let model = P::model(&server.url);
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
    assert!(said.contains("wrong key") && said.contains("not [key]"), "{said}");
    assert!(logged.contains("the end"), "{logged}");
}

/// Talks.
#[block(generator, model = "intent/chat", tools = [add], visibility(client))]
pub(crate) async fn chat(text: &str) -> Result<Prompt> {
    Ok(Prompt::system("Talk.").user(text))
}

#[data]
pub(crate) struct Numbers {
    pub(crate) one: u32,
    pub(crate) two: u32,
}

/// Adds two numbers.
#[block(handler)]
async fn add(numbers: Numbers) -> Result<u32> {
    Ok(numbers.one + numbers.two)
}

/// What a schema can close.
#[data]
pub(crate) struct Verdict {
    /// Whether it may.
    pub(crate) approved: bool,
    reason: Option<String>,
    score: u8,
    tone: Tone,
    pub(crate) steps: Vec<Numbers>,
}

#[data]
#[serde(rename_all = "snake_case")]
enum Tone {
    /// Kind.
    Warm,
    Cold,
}

pub(crate) const VERDICT: &str =
    r#"{"approved":true,"reason":null,"score":3,"tone":"warm","steps":[{"one":1,"two":2}]}"#;

#[block(generator, model = "intent/chat")]
pub(crate) async fn judge(case: &str) -> Result<Prompt<Verdict>> {
    Ok(Prompt::system("Judge.").user(case))
}

/// What it cannot.
#[data]
pub(crate) struct Loose {
    pub(crate) counts: std::collections::BTreeMap<String, u32>,
}

#[block(generator, model = "intent/chat")]
pub(crate) async fn count(case: &str) -> Result<Prompt<Loose>> {
    Ok(Prompt::system("Count.").user(case))
}

/// What a closed schema is, whoever is sent it.
pub(crate) fn is_closed(schema: &serde_json::Value) {
    let mut required: Vec<_> =
        schema["required"].as_array().unwrap().iter().map(ToString::to_string).collect();
    required.sort();
    assert_eq!(required, ["\"approved\"", "\"reason\"", "\"score\"", "\"steps\"", "\"tone\""]);
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["reason"]["type"], json!(["string", "null"]));
    assert_eq!(schema["properties"]["tone"], json!({"$ref": "#/$defs/Tone"}));
    assert_eq!(schema["$defs"]["Numbers"]["additionalProperties"], false);
    let text = schema.to_string();
    for word in ["oneOf", "uint", "\"default\"", "$schema"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert!(text.contains("Whether it may."), "{text}");
}
