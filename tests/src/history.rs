//! How much of what was said before a model is told.

use flowstate::model::{
    EstimatedTokens, Message, Reply, ScriptedModel, TokenCounter, ToolCall, ToolResult,
};
use flowstate::prelude::*;

/// One token a sign.
struct Signs;

impl TokenCounter for Signs {
    fn count(&self, text: &str) -> usize {
        text.chars().count()
    }
}

/// A greeting, then three turns, of which the second has a tool in it.
fn said() -> Vec<Message> {
    let call = ToolCall::new("c", "abc", "{}");
    let mut asks = Message::assistant("");
    if let Message::Assistant { tool_calls, .. } = &mut asks {
        tool_calls.push(call.clone());
    }
    vec![
        Message::assistant("hey"),
        Message::user("one"),
        Message::assistant("1"),
        Message::user("two"),
        Message::user("and"),
        asks,
        Message::Tool(ToolResult::of(&call, "7".into(), false)),
        Message::assistant("2"),
        Message::user("three"),
        Message::assistant("3"),
    ]
}

#[data]
struct Limits {
    turns: Option<usize>,
    tokens: Option<usize>,
}

#[block(generator, model = "intent/chat")]
async fn talker(limits: Limits) -> Result<Prompt> {
    let mut prompt = Prompt::system("Talk.").history(said()).user("now");
    if let Some(turns) = limits.turns {
        prompt = prompt.history_turns(turns);
    }
    if let Some(tokens) = limits.tokens {
        prompt = prompt.history_tokens(tokens);
    }
    Ok(prompt)
}

/// What the model is told between the system's text and the user's.
async fn told(turns: Option<usize>, tokens: Option<usize>) -> String {
    let model = ScriptedModel::new([Reply::text("ok")]);
    let app = App::builder().model(model.clone()).token_counter(Signs).build().unwrap();
    app.run(talker, Limits { turns, tokens }).await.unwrap();
    let request = model.requests().remove(0);
    let all = request.messages();
    all[1..all.len() - 1].iter().map(Message::text).collect::<Vec<_>>().join(" ")
}

const TWO: &str = "two and  7 2 three 3";

#[tokio::test]
async fn a_history_is_cut_by_turns() {
    for (turns, wanted) in [
        (0, String::new()),
        (1, "three 3".into()),
        (2, TWO.into()),
        (3, format!("one 1 {TWO}")),
        (4, format!("hey one 1 {TWO}")),
        (99, format!("hey one 1 {TWO}")),
    ] {
        assert_eq!(told(Some(turns), None).await, wanted, "{turns} turns");
    }
    assert_eq!(told(None, None).await, format!("hey one 1 {TWO}"));
}

#[tokio::test]
async fn a_history_is_cut_by_tokens_and_no_turn_is_split() {
    // the turns have 6, 13 (with the call's name and arguments), 4 and 3
    for (tokens, wanted) in [
        // the last one is there in any case
        (0, "three 3".to_owned()),
        (18, "three 3".into()),
        (19, TWO.into()),
        (22, TWO.into()),
        (23, format!("one 1 {TWO}")),
        (26, format!("hey one 1 {TWO}")),
    ] {
        assert_eq!(told(None, Some(tokens)).await, wanted, "{tokens} tokens");
    }
}

#[tokio::test]
async fn both_limits_hold() {
    assert_eq!(told(Some(1), Some(100)).await, "three 3");
    assert_eq!(told(Some(3), Some(19)).await, TWO);
    assert_eq!(told(Some(0), Some(100)).await, "");
}

#[tokio::test]
async fn a_test_has_a_counter_too() {
    let model = ScriptedModel::new([Reply::text("ok")]);
    let test = flowstate::test(talker).model(model.clone()).token_counter(Signs);
    test.run(Limits { turns: None, tokens: Some(19) }).await.unwrap();
    assert_eq!(model.requests()[0].messages().len(), 9);
}

#[test]
fn an_estimate_knows_of_scripts() {
    for (text, tokens) in [
        ("", 0),
        ("a", 1),
        ("The quick brown fox.", 5),
        ("Быстрая лиса", 6),
        ("素早い狐", 4),
        ("빠른 여우", 5),
        ("🦀🦀", 4),
    ] {
        assert_eq!(EstimatedTokens.count(text), tokens, "{text}");
    }
}
