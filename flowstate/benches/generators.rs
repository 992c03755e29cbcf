//! What a generator's loop costs beside bare calls of the same scripted model: `cargo bench -p flowstate-benches --bench generators`.

use std::hint::black_box;

use flowstate::model::{
    Message, Model as _, ModelRequest, Reply, ScriptedModel, ToolCall, ToolResult,
};
use flowstate::prelude::*;
use flowstate_benches::{Table, cost, leaf};
use futures_util::StreamExt as _;
use serde_json::json;

const RUNS: u64 = 50;
const MANY: usize = 9;

#[block(generator, model = "intent/chat", tools = [leaf])]
async fn agent(input: u64) -> Result<Prompt> {
    Ok(Prompt::system("Count.").user(input.to_string()).max_steps(32))
}

/// Answers for all runs, each with so many calls of the tool before the last word.
fn script(steps: usize) -> ScriptedModel {
    let call = || Reply::tool("leaf", json!({"input": 1}));
    let run = |_| (0..steps).map(move |_| call()).chain([Reply::text("done")]);
    // `cost` runs it a few times more
    ScriptedModel::new((0..RUNS + 5).flat_map(run))
}

/// The calls of the model alone, each answer read to its end, with the messages that the loop would send.
async fn bare(model: &ScriptedModel, steps: usize) {
    let call = ToolCall::new("call_1", "leaf", r#"{"input":1}"#);
    let mut request = ModelRequest::new(vec![Message::system("Count."), Message::user("0")]);
    for _ in 0..=steps {
        let pieces: Vec<_> = model.stream(&request).collect().await;
        black_box(pieces);
        let mut said = Message::assistant("");
        if let Message::Assistant { tool_calls, .. } = &mut said {
            tool_calls.push(call.clone());
        }
        let result = Message::Tool(ToolResult::of(&call, "2".into(), false));
        request.messages.extend([said, result]);
    }
}

fn main() {
    let table = Table::default();
    let on = &table.one;
    let ours = |steps: usize| {
        let app = App::builder().model(script(steps)).environment([("", ""); 0]).build();
        let app = app.expect("the app is whole");
        cost(on, RUNS, async |i| app.run(agent, i).await.expect("the script answers"))
    };
    let floor = |steps: usize| {
        let model = script(steps);
        cost(on, RUNS, async |_| bare(&model, steps).await)
    };
    table.say(
        "a step of a generator, with a tool",
        (MANY - 1) as u64,
        &|| [ours(MANY), ours(1)],
        &|| [floor(MANY), floor(1)],
    );
    table.say(
        "an answer without tools, and the run",
        1,
        &|| [ours(0), flowstate_benches::Cost::NOTHING],
        &|| [floor(0), flowstate_benches::Cost::NOTHING],
    );
    table.publish("generators");
}
