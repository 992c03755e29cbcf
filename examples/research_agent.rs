//! An agent that reads up on a question: its skills are blocks, and its answer is seen as it comes.
//!
//! It runs on a script, offline. With the feature `openai` and the environment's `OPENAI_API_KEY` or `OPENAI_BASE_URL` it asks any
//! server of that protocol, the model `OPENAI_MODEL`.
use std::io::{Write as _, stdout};

use flowstate::item::{EventKind, Item, Status};
use flowstate::model::{Delta, Reply, ScriptedModel};
use flowstate::prelude::*;
use serde_json::json;

/// Where the agent looks: the title of each page, and what it says.
const LIBRARY: &[(&str, &str)] = &[
    ("Tea", "Tea came to Europe in 1610, on Dutch ships. Black tea keeps longer than green."),
    ("Ships", "A ship from Java took eight months. What rots did not arrive."),
    ("Ink", "Iron gall ink turns brown with age."),
];

/// What the agent has found out so far.
#[state]
pub struct Desk {
    pub read: Vec<String>,
    pub notes: Vec<String>,
}

/// The titles of the pages that speak of a word.
#[block(handler, cacheable(ttl = "10m"))]
async fn find_pages(word: String) -> Result<Vec<String>> {
    let word = word.to_lowercase();
    let speaks =
        |(title, text): &&(&str, &str)| format!("{title} {text}").to_lowercase().contains(&word);
    Ok(LIBRARY.iter().filter(speaks).map(|(title, _)| (*title).to_owned()).collect())
}

/// Reads a page by its title.
#[block(handler, parent = Desk)]
async fn read_page(title: String, ctx: Ctx) -> Result<String> {
    let Some((_, text)) = LIBRARY.iter().find(|(known, _)| *known == title) else {
        return Err(Error::with_code("no_page", format!("there is no page {title:?}")));
    };
    ctx.parent.read.push(title)?;
    Ok((*text).to_owned())
}

/// Writes down what the answer will need.
#[block(handler, parent = Desk)]
async fn take_note(note: String, ctx: Ctx) -> Result<usize> {
    ctx.parent.notes.push(note)?;
    Ok(ctx.parent.notes.with(Vec::len))
}

#[data]
pub struct Plan {
    /// What to find out, one after the other.
    questions: Vec<String>,
}

/// Takes a question apart.
#[block(generator, model = "intent/plan")]
async fn make_plan(question: &str) -> Result<Prompt<Plan>> {
    Ok(Prompt::system("Say what must be known to answer the question.").user(question))
}

/// Answers a question from the library.
#[block(
    generator,
    model = "intent/research",
    state = Desk,
    tools = [make_plan, find_pages, read_page, take_note],
    visibility(client, history),
)]
async fn research(question: &str, ctx: Ctx) -> Result<Prompt> {
    let desk = ctx.self_.get();
    let prompt =
        Prompt::system("Answer from the pages of the library. Take notes, and name the pages.")
            .tagged(json!({ "read": desk.read, "notes": desk.notes }))?
            .user(question)
            .max_steps(12);
    // with three notes it is time to answer
    Ok(if desk.notes.len() < 3 { prompt } else { prompt.without_tools() })
}

/// What the model would say.
fn script() -> ScriptedModel {
    let question = "Why did Europe drink black tea?";
    let says = ["Because it ", "kept: the ships took eight months ", "(Tea, Ships)."];
    ScriptedModel::new([
        Reply::tool("make_plan", json!({ "input": question })),
        Reply::text(r#"{"questions": ["How did tea come?", "How long did it keep?"]}"#),
        Reply::tools([
            ("find_pages", json!({"input": "tea"})),
            ("find_pages", json!({"input": "ship"})),
        ])
        .after([Delta::Text("I look for pages.".into())]),
        Reply::tools(
            ["Tea", "Ships", "Whales"].map(|title| ("read_page", json!({ "input": title }))),
        ),
        Reply::tool("take_note", json!({"input": "eight months at sea; black tea keeps longer"})),
        Reply::stream(says.map(|text| Delta::Text(text.into()))),
    ])
}

#[cfg(feature = "openai")]
fn models(app: flowstate::AppBuilder) -> flowstate::AppBuilder {
    let said = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    if said("OPENAI_BASE_URL").or_else(|| said("OPENAI_API_KEY")).is_none() {
        return app.model(script());
    }
    let model = said("OPENAI_MODEL").unwrap_or_else(|| "gpt-5-mini".into());
    app.model(flowstate::model::OpenAi::new(model))
}

#[cfg(not(feature = "openai"))]
fn models(app: flowstate::AppBuilder) -> flowstate::AppBuilder {
    app.model(script())
}

/// A line for a tool that begins or has ended.
fn progress(item: &Item) -> Option<String> {
    let ItemKind::ToolOutput(tool) = &item.kind else { return None };
    let (step, name, given) = (tool.step + 1, &tool.tool, &tool.arguments);
    Some(match (&tool.error, &tool.output) {
        _ if item.status == Status::InProgress => format!("[{step}] {name} {given}"),
        (Some(error), _) => format!("[{step}] {name} failed: {error}"),
        (None, output) => format!("[{step}] {name} gave {}", output.clone().unwrap_or_default()),
    })
}

#[tokio::main]
async fn main() -> Result<()> {
    let app = models(App::builder()).build()?;
    let question = std::env::args().nth(1);
    let question = question.unwrap_or_else(|| "Why did Europe drink black tea?".into());
    let mut run = app.start(research, question).await?;
    let (mut events, mut talks) = (run.events(), false);
    while let Some(event) = events.next_event().await {
        match event.kind {
            EventKind::Delta { text, .. } => {
                print!("{text}");
                stdout().flush()?;
                talks = true;
            }
            EventKind::Added(item) | EventKind::Done(item) => {
                if let Some(line) = progress(&item) {
                    let gap = if std::mem::take(&mut talks) { "\n" } else { "" };
                    println!("{gap}{line}");
                }
            }
            _ => {}
        }
    }
    println!();
    run.output().await?;
    Ok(())
}
