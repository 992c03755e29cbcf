//! The adapter for the other providers, over HTTP, in the wire format of Anthropic's messages, against a server that each test
//! starts.

use std::process::Command;
use std::time::Duration;

use flowstate::model::*;
use flowstate::prelude::*;
use serde_json::{Value, json};

use crate::adapters::{Protocol, VERDICT, all, answer_of, chat, count, is_closed, judge, refusal};
use crate::loopback::{Answer, EVENTS, KEY, Server, ask, plain, question};

fn model_of(server: &Server) -> GenAi {
    Messages::model(&server.url)
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

fn used() -> Delta {
    let mut usage = Usage::new(11, 9);
    usage.cached_tokens = 4;
    Delta::Usage(usage)
}

/// Anthropic's.
struct Messages;

impl Protocol for Messages {
    type Model = GenAi;
    const NAME: &'static str = "anthropic/m-1";
    const BEGUN: &'static str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
                     \"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n";

    fn model(url: &str) -> GenAi {
        GenAi::new("anthropic/m-1").unwrap().base_url(url).api_key(KEY)
    }

    fn timeout(model: GenAi, silence: Duration) -> GenAi {
        model.timeout(silence)
    }

    fn said(pieces: &[&str]) -> Vec<u8> {
        events(&text(pieces), "end_turn")
    }

    fn more(text: &str) -> String {
        let delta = json!({"type": "text_delta", "text": text});
        event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))
    }

    fn error(text: &str) -> String {
        event(&json!({"type": "error", "error": {"message": text}}))
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
}

all!(Messages);

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

#[tokio::test]
async fn signed_thoughts_go_back_to_their_provider_alone() {
    let (_, pieces) = Messages::long_answer();
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
        let (pieces, error) = answer_of::<Messages>(streamed(&[], reason)).await;
        assert_eq!((pieces, error), (vec![Delta::Finish(wanted), used()], None), "{reason}");
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
        let (pieces, error) = answer_of::<Messages>(answer).await;
        assert_eq!(pieces, all);
        assert!(error.unwrap().retryable());
    }
    // all was said before the connection went
    let (pieces, error) = answer_of::<Messages>(Answer::Cut(vec![whole])).await;
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
        let (pieces, failed) = answer_of::<Messages>(streamed(&all, "end_turn")).await;
        let failed = failed.unwrap();
        assert_eq!(pieces, [Delta::Text("a".into())]);
        let said = (failed.message(), failed.status(), failed.retryable());
        assert_eq!(said, ("no more", status, again));
    }
    let error =
        refusal::<Messages>(plain(EVENTS, "event: content_block_start\ndata: {nonsense\n\n")).await;
    assert!(
        error.message().starts_with("a piece of the answer is not of the protocol:"),
        "{error}"
    );
    assert!(!error.retryable());

    let error =
        refusal::<Messages>(Answer::Pieces(EVENTS, vec![b"data: \xff\xff\n\n".to_vec()])).await;
    assert!(
        error.message().starts_with("a piece of the answer is not of the protocol:"),
        "{error}"
    );

    let page =
        refusal::<Messages>(plain("200 OK\r\ncontent-type: text/html", "<html>log in</html>"))
            .await;
    assert_eq!(page.message(), "the answer broke off");
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_is_not_said() {
    let model = Messages::model("http://user:hunter2@127.0.0.1/").api_key("two\nlines");
    let error = ask(&model, &question()).await.1.unwrap();
    assert!(!error.retryable(), "{error}");
    let said = format!("{error:?}");
    assert!(!["hunter2", "two", "lines"].iter().any(|word| said.contains(word)), "{error}");
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

#[tokio::test]
async fn structured_output_is_closed_where_the_schema_can_be_and_else_told() {
    let server = Server::new(vec![
        streamed(&text(&[VERDICT]), "end_turn"),
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
    is_closed(schema);

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
