//! The adapter for OpenAI's chat protocol, over HTTP, against a server that each test starts.

use std::process::Command;
use std::time::Duration;

use flowstate::model::*;
use flowstate::prelude::*;
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::adapters::{Protocol, VERDICT, all, answer_of, chat, count, is_closed, judge, refusal};
use crate::loopback::{Answer, EVENTS, KEY, Server, ask, plain, question};

fn model_of(server: &Server) -> OpenAi {
    Chat::model(&server.url)
}

fn events(all: &[Value]) -> Vec<u8> {
    let mut text: String = all.iter().map(|event| format!("data: {event}\n\n")).collect();
    text.push_str("data: [DONE]\n\n");
    text.into_bytes()
}

fn streamed(all: &[Value]) -> Answer {
    Answer::Pieces(EVENTS, vec![events(all)])
}

fn text(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}}]})
}

fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

struct Chat;

impl Protocol for Chat {
    type Model = OpenAi;
    const NAME: &'static str = "openai/m-1";
    const BEGUN: &'static str = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";

    fn model(url: &str) -> OpenAi {
        OpenAi::new("m-1").base_url(url).api_key(KEY)
    }

    fn timeout(model: OpenAi, silence: Duration) -> OpenAi {
        model.timeout(silence)
    }

    fn said(pieces: &[&str]) -> Vec<u8> {
        let mut all: Vec<_> = pieces.iter().map(|piece| text(piece)).collect();
        all.push(end("stop"));
        events(&all)
    }

    fn more(more: &str) -> String {
        format!("data: {}\n\n", text(more))
    }

    fn error(text: &str) -> String {
        format!("data: {}\n\n", json!({"error": {"message": text}}))
    }

    fn long_answer() -> (Vec<u8>, Vec<Delta>) {
        let call = |index: usize, id: Option<&str>, name: Option<&str>, arguments: &str| {
            let function = json!({"name": name, "arguments": arguments});
            json!({"choices": [{"delta": {"tool_calls": [{"index": index, "id": id, "function": function}]}}]})
        };
        let piece = |index, id: &str, name: &str, arguments: &str| Delta::ToolCall {
            index,
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        let mut usage = Usage::new(11, 7);
        usage.cached_tokens = 4;
        let all = vec![
            json!({"choices": [{"delta": {"role": "assistant", "content": "", "reasoning_content": "hm"}}]}),
            text("Grüße, 世界 🦀\n"),
            call(0, Some("c1"), Some("look"), ""),
            call(0, None, None, "{\"at\""),
            call(1, Some("c2"), Some("rest"), "{}"),
            call(0, None, None, ":1}"),
            end("tool_calls"),
            json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 4}}}),
        ];
        let pieces = vec![
            Delta::Reasoning("hm".into()),
            Delta::Text("Grüße, 世界 🦀\n".into()),
            piece(0, "c1", "look", ""),
            piece(0, "", "", "{\"at\""),
            piece(1, "c2", "rest", "{}"),
            piece(0, "", "", ":1}"),
            Delta::Finish(FinishReason::ToolCalls),
            Delta::Usage(usage),
        ];
        (events(&all), pieces)
    }
}

all!(Chat);

#[tokio::test]
async fn a_question_is_sent_in_the_protocol() {
    let server = Server::new(vec![streamed(&[end("stop")])]).await;
    let (pieces, error) = ask(&model_of(&server), &question()).await;
    assert_eq!((pieces, error), (vec![Delta::Finish(FinishReason::Stop)], None));
    let (head, body) = server.asked.lock().unwrap()[0].clone();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    let messages =
        json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi?"}]);
    assert_eq!(
        body,
        json!({"model": "m-1", "messages": messages, "stream": true, "stream_options": {"include_usage": true}})
    );
}

#[tokio::test]
async fn options_tools_and_what_was_called_are_sent() {
    let server = Server::new(vec![streamed(&[end("stop")])]).await;
    let call = ToolCall::new("c1", "look", r#"{"at":1}"#);
    let mut request = question();
    let mut said = Message::assistant("");
    if let Message::Assistant { tool_calls, .. } = &mut said {
        *tool_calls = vec![call.clone(), ToolCall::new("c2", "rest", "")];
    }
    request.messages.extend([
        Message::assistant("Hello."),
        said,
        Message::Tool(ToolResult::of(&call, "42".into(), false)),
    ]);
    request.tools = vec![ToolDef::new("look", "Looks.", json!({"type": "object"}))];
    request.options.temperature = Some(0.7);
    request.options.max_tokens = Some(9);
    request.options.stop = vec!["END".into()];
    let model = model_of(&server).field("seed", 7).field("stream_options", Value::Null);
    assert_eq!(ask(&model, &request).await.1, None);
    let body = server.body(0);
    assert_eq!(
        body["messages"].as_array().unwrap()[2..],
        [
            json!({"role": "assistant", "content": "Hello."}),
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": r#"{"at":1}"#}},
                {"id": "c2", "type": "function", "function": {"name": "rest", "arguments": "{}"}},
            ]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": "42"}),
        ]
    );
    let tool = json!({"name": "look", "description": "Looks.", "parameters": {"type": "object"}});
    assert_eq!(body["tools"], json!([{"type": "function", "function": tool}]));
    let rest = ["temperature", "max_tokens", "stop", "seed", "stream_options"];
    let rest = rest.map(|key| body[key].clone());
    assert_eq!(rest, [json!(0.7), json!(9), json!(["END"]), json!(7), json!(null)]);
}

#[tokio::test]
async fn events_are_read_in_every_spelling() {
    let (one, done) = (text("a").to_string(), end("stop").to_string());
    let split = one.replacen(',', ",\ndata: ", 1);
    for stream in [
        format!(
            "\u{feff}: ping\r\n\r\nevent: x\r\nid: 1\r\ndata:{one}\r\n\r\ndata: {done}\r\n\r\n"
        ),
        format!("data: {one}\r\rdata: {done}\r\rdata: [DONE]\r\r"),
        format!("data: {split}\n\ndata:\n\ndata: {done}\n\n"),
        // neither `[DONE]` nor an empty line at its end
        format!("data: {one}\n\ndata: {done}"),
    ] {
        let wanted = vec![Delta::Text("a".into()), Delta::Finish(FinishReason::Stop)];
        let cut = stream.bytes().map(|byte| vec![byte]).collect();
        assert_eq!(
            answer_of::<Chat>(Answer::Pieces(EVENTS, cut)).await,
            (wanted, None),
            "{stream:?}"
        );
    }
}

#[tokio::test]
async fn calls_without_a_number_or_with_one_number_are_told_apart() {
    let calls = |calls: Value| json!({"choices": [{"delta": {"tool_calls": calls}}]});
    let one = json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}});
    let two = json!({"index": 0, "id": "b", "function": {"name": "g", "arguments": "{}"}});
    let both =
        json!([{"id": "c", "function": {"name": "h"}}, {"id": "d", "function": {"name": "i"}}]);
    for (events, wanted) in [
        (
            vec![calls(json!([one])), calls(json!([two])), end("stop")],
            ["0 a f {\"x\":1}", "1 b g {}"],
        ),
        (vec![calls(both), end("stop")], ["0 c h ", "1 d i "]),
    ] {
        let (pieces, error) = answer_of::<Chat>(streamed(&events)).await;
        assert_eq!(error, None);
        let calls = pieces.iter().filter_map(|piece| match piece {
            Delta::ToolCall { index, id, name, arguments } => {
                Some(format!("{index} {id} {name} {arguments}"))
            }
            _ => None,
        });
        assert_eq!(calls.collect::<Vec<_>>(), wanted);
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({
        "id": "x", "object": "chat.completion",
        "choices": [{"message": {"role": "assistant", "content": "Hi.", "refusal": null, "tool_calls": null,
            "annotations": [{"type": "url_citation", "url_citation": {"url": "https://a.b", "title": "A"}}]},
            "finish_reason": "length"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    });
    let head = "200 OK\r\ncontent-type: application/json; charset=utf-8";
    let (pieces, error) = answer_of::<Chat>(plain(head, &whole.to_string())).await;
    let wanted = [
        Delta::Text("Hi.".into()),
        Delta::Source { url: "https://a.b".into(), title: Some("A".into()) },
        Delta::Finish(FinishReason::Length),
        Delta::Usage(Usage::new(1, 2)),
    ];
    assert_eq!((&pieces[..], error), (&wanted[..], None));
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error_after_what_came() {
    let piece = format!("data: {}\n\n", text("Half")).into_bytes();
    let half = vec![Delta::Text("Half".into())];
    let broken = Answer::Pieces(EVENTS, vec![piece.clone()]);
    let (pieces, error) = answer_of::<Chat>(broken).await;
    let error = error.unwrap();
    assert_eq!((pieces, error.message()), (half.clone(), "the answer broke off"));
    assert!(error.retryable());

    let (pieces, error) = answer_of::<Chat>(Answer::Cut(vec![piece.clone()])).await;
    assert_eq!(pieces, half);
    assert!(error.unwrap().retryable());

    // all was said before the connection went
    let end = format!("data: {}\n\n", end("stop")).into_bytes();
    let (pieces, error) = answer_of::<Chat>(Answer::Cut(vec![piece, end])).await;
    assert_eq!((pieces.len(), error), (2, None));
}

#[tokio::test]
async fn what_is_not_of_the_protocol_is_an_error() {
    let error = json!({"error": {"message": "overloaded", "code": 503}});
    let (pieces, failed) = answer_of::<Chat>(streamed(&[text("a"), error])).await;
    let failed = failed.unwrap();
    assert_eq!(pieces, [Delta::Text("a".into())]);
    assert_eq!(
        (failed.message(), failed.status(), failed.retryable()),
        ("overloaded", Some(503), true)
    );

    let error = refusal::<Chat>(plain(EVENTS, "data: {nonsense\n\n")).await;
    assert!(
        error.message().starts_with("a piece of the answer is not of the protocol:"),
        "{error}"
    );
    assert!(!error.retryable());

    let page =
        refusal::<Chat>(plain("200 OK\r\ncontent-type: text/html", "<html>log in</html>")).await;
    assert_eq!(page.message(), "the answer broke off");
}

#[tokio::test]
async fn an_event_that_never_ends_is_not_read() {
    let error = refusal::<Chat>(Answer::Cut(vec![vec![b'x'; 1 << 20]; 70])).await;
    assert_eq!(error.message(), "the answer has more than 67108864 bytes");
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let accepted =
        vec![streamed(&[end("stop")]), streamed(&[end("stop")]), streamed(&[end("stop")])];
    let server = Server::new(accepted).await;
    let model = model_of(&server);
    for _ in 0..3 {
        assert_eq!(ask(&model, &question()).await.1, None);
        // the client's own task takes the connection back
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!((server.asked.lock().unwrap().len(), *server.connections.lock().unwrap()), (3, 1));
}

#[tokio::test]
async fn a_generator_runs_its_tools_over_the_wire() {
    let call = json!({"index": 0, "id": "c1", "function": {"name": "add", "arguments": "{\"one\":2,\"two\":3}"}});
    let server = Server::new(vec![
        streamed(&[json!({"choices": [{"delta": {"tool_calls": [call]}}]}), end("tool_calls")]),
        streamed(&[text("It is "), text("5."), end("stop")]),
    ])
    .await;
    let app = App::builder().model(model_of(&server)).build().unwrap();
    assert_eq!(app.run(chat, "2 and 3?".to_string()).await.unwrap(), "It is 5.");
    assert_eq!(server.body(0)["tools"][0]["function"]["name"], "add");
    let last = server.body(1)["messages"].as_array().unwrap().last().cloned();
    assert_eq!(last, Some(json!({"role": "tool", "tool_call_id": "c1", "content": "5"})));
}

#[tokio::test]
async fn structured_output_is_strict_where_the_schema_can_be() {
    let server = Server::new(vec![
        streamed(&[text(VERDICT), end("stop")]),
        streamed(&[text(r#"{"counts":{"a":1}}"#), end("stop")]),
    ])
    .await;
    let app = App::builder().model(model_of(&server)).build().unwrap();
    let said = app.run(judge, "x".to_string()).await.unwrap();
    assert!(said.approved && said.steps[0].two == 2);
    let format = server.body(0)["response_format"].clone();
    let schema = &format["json_schema"]["schema"];
    assert_eq!(
        (&format["type"], &format["json_schema"]["strict"]),
        (&json!("json_schema"), &json!(true))
    );
    is_closed(schema);

    assert_eq!(app.run(count, "x".to_string()).await.unwrap().counts["a"], 1);
    let format = server.body(1)["response_format"]["json_schema"].clone();
    assert_eq!(format["strict"], false);
    assert_eq!(format["schema"]["properties"]["counts"]["additionalProperties"]["type"], "integer");
}

/// Searches.
#[block(generator, model = "intent/web", search(depth = low), visibility(client))]
async fn scout(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Search.").user(question))
}

#[tokio::test]
async fn a_search_is_asked_for_and_what_it_finds_is_an_item() {
    let cited = json!({"choices": [{"delta": {"annotations": [
        {"type": "url_citation", "url_citation": {"url": "https://a.b", "title": "A", "start_index": 0}}]}}]});
    let server = Server::new(vec![streamed(&[text("Tea."), cited, end("stop")])]).await;
    let named = |name: &str| OpenAi::new(name).base_url(&server.url).api_key(KEY);
    assert!(named("gpt-4o-search-preview").searches());
    assert!(!named("gpt-4o-search-preview").web_search(false).searches());
    let blind = App::builder().model(named("gpt-5")).build().unwrap();
    assert_eq!(blind.run(scout, "?".to_string()).await.unwrap_err().code(), "no_search");

    let app = App::builder().model(named("gpt-5").web_search(true)).build().unwrap();
    let mut run = app.start(scout, "What?".to_string()).await.unwrap();
    let mut sources = Vec::new();
    while let Some(item) = run.next().await {
        if let ItemKind::Source(source) = &item.kind {
            sources.push((source.url.clone(), source.title.clone()));
        }
    }
    assert_eq!(sources, [("https://a.b".to_owned(), Some("A".to_owned()))]);
    assert_eq!(server.body(0)["web_search_options"], json!({"search_context_size": "low"}));
}

/// Run by `the_environment_says_where_and_with_which_key`, in a process of its own.
#[tokio::test]
#[ignore = "another test starts it as a process of its own"]
async fn asks_where_the_environment_says() {
    let url = std::env::var("OPENAI_BASE_URL").unwrap();
    for model in [OpenAi::new("env"), OpenAi::new("env").base_url(url)] {
        let (pieces, error) = ask(&model, &question()).await;
        assert_eq!((pieces, error), (vec![Delta::Finish(FinishReason::Stop)], None));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_environment_says_where_and_with_which_key() {
    for key in ["from-the-environment", ""] {
        let answers = vec![streamed(&[end("stop")]), streamed(&[end("stop")])];
        let server = Server::new(answers).await;
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--ignored", "--exact", "openai::asks_where_the_environment_says"]);
        program.env("OPENAI_BASE_URL", &server.url).env("OPENAI_API_KEY", key);
        let done = tokio::task::spawn_blocking(move || program.output().unwrap()).await.unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        let head = server.asked.lock().unwrap()[0].0.clone();
        let sent = head.contains("authorization: Bearer from-the-environment\r\n");
        assert_eq!((sent, head.contains("authorization")), (!key.is_empty(), !key.is_empty()));
        // the environment's key is not for a server that the program names
        let head = server.asked.lock().unwrap()[1].0.clone();
        assert!(!head.contains("authorization"), "{head}");
    }
}
