//! The research agent as a person starts it: offline, and on a server of the protocol.

use std::path::PathBuf;
use std::process::Command;

/// The example, which `cargo test` builds before this.
fn program() -> Command {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.set_file_name("examples");
    let mut program = Command::new(path.join("research_agent"));
    for name in ["OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"] {
        program.env_remove(name);
    }
    program
}

fn printed(mut program: Command) -> String {
    let done = program.output().unwrap();
    let (out, wrong) =
        (String::from_utf8(done.stdout).unwrap(), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}\n{wrong}");
    out
}

#[test]
fn offline_it_shows_its_progress_and_its_answer() {
    let out = printed(program());
    for line in [
        r#"[1] make_plan {"input":"Why did Europe drink black tea?"}"#,
        r#"[1] make_plan gave {"questions":["How did tea come?","How long did it keep?"]}"#,
        "I look for pages.",
        r#"[2] find_pages gave ["Tea","Ships"]"#,
        r#"[3] read_page failed: there is no page "Whales""#,
        "[4] take_note gave 1",
        "Because it kept: the ships took eight months (Tea, Ships).",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
}

#[cfg(feature = "openai")]
#[path = "../../tests/src/loopback.rs"]
#[allow(dead_code, unreachable_pub)]
mod loopback;

#[cfg(feature = "openai")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_server_it_asks_and_runs_its_tools() {
    use loopback::{Answer, EVENTS, Server};
    use serde_json::{Value, json};

    let stream = |delta: Value, reason: &str| {
        let piece = json!({"choices": [{"delta": delta, "finish_reason": reason}]});
        Answer::Pieces(EVENTS, vec![format!("data: {piece}\n\ndata: [DONE]\n\n").into_bytes()])
    };
    let call = json!({"index": 0, "id": "c1", "function": {"name": "read_page", "arguments": "{\"input\":\"Ink\"}"}});
    let server = Server::new(vec![
        stream(json!({"tool_calls": [call]}), "tool_calls"),
        stream(json!({"content": "It turns brown (Ink)."}), "stop"),
    ])
    .await;
    let mut program = program();
    program.arg("What becomes of ink?").env("OPENAI_BASE_URL", &server.url);
    program.env("OPENAI_API_KEY", "key-of-a-test").env("OPENAI_MODEL", "m-1");
    let out = tokio::task::spawn_blocking(|| printed(program)).await.unwrap();
    assert!(out.contains("It turns brown (Ink).") && !out.contains("key-of-a-test"), "{out}");

    let head = server.asked.lock().unwrap()[0].0.clone();
    assert!(head.contains("authorization: Bearer key-of-a-test\r\n"), "{head}");
    let (first, second) = (server.body(0), server.body(1));
    assert_eq!(
        (&first["model"], &first["messages"][1]["content"]),
        (&json!("m-1"), &json!("What becomes of ink?"))
    );
    let name = |tool: &Value| tool["function"]["name"].as_str().unwrap().to_owned();
    let tools: Vec<_> = first["tools"].as_array().unwrap().iter().map(name).collect();
    assert_eq!(tools, ["make_plan", "find_pages", "read_page", "take_note"]);
    // what the tool has written is in the next prompt, and what it gave is its result
    assert!(
        second["messages"][0]["content"].as_str().unwrap().contains("<read>\n  Ink\n</read>"),
        "{second}"
    );
    let last = second["messages"].as_array().unwrap().last().cloned().unwrap();
    assert_eq!(
        (&last["role"], &last["content"]),
        (&json!("tool"), &json!("Iron gall ink turns brown with age."))
    );
}
