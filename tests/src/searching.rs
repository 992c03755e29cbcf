//! Generators whose models search the web.

use flowstate::model::{Delta, FinishReason, Reply, ScriptedModel, SearchDepth};
use flowstate::prelude::*;
use serde_json::json;

#[block(generator, model = "intent/web", search(depth = high), visibility(client))]
async fn scout(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Search.").user(question))
}

/// One whose answers another model mends.
#[block(generator, model = ["a/web", "b/web"], search(depth = low), repair(coerce = "intent/utility"))]
async fn strict(question: &str) -> Result<Prompt<u32>> {
    Ok(Prompt::system("Search.").user(question))
}

/// One that picks its model late.
#[block(generator, model = "a/web", search(depth = medium))]
async fn picky(model: &str) -> Result<Prompt> {
    Ok(Prompt::system("Search.").model(model).user("?"))
}

flow! {
    #[flow(kind = "web")]
    struct Web {
        pub scout: scout,
    }
}

fn model(name: &str) -> ScriptedModel {
    ScriptedModel::named(name, [Reply::text("7")])
}

#[tokio::test]
async fn what_is_found_is_an_item() {
    let found = |url: &str, title: Option<&str>| Delta::Source {
        url: url.into(),
        title: title.map(Into::into),
    };
    let reply = Reply::stream([
        Delta::Text("Tea.".into()),
        found("https://tea.example", Some("Tea")),
        found("https://ink.example", None),
        Delta::Finish(FinishReason::Stop),
    ]);
    let model = ScriptedModel::new([reply]).with_search();
    let app = App::builder().model(model.clone()).flow(Web).build().unwrap();
    let mut run = app.start(scout, "What?".to_string()).await.unwrap();
    let mut sources = Vec::new();
    while let Some(item) = run.next_item().await {
        if let ItemKind::Source(source) = &item.kind {
            sources.push((source.url.clone(), source.title.clone()));
        }
    }
    let wanted = [("https://tea.example", Some("Tea")), ("https://ink.example", None)];
    assert_eq!(sources, wanted.map(|(url, title)| (url.to_owned(), title.map(str::to_owned))));
    assert_eq!(model.requests()[0].search, Some(SearchDepth::High));
    assert_eq!(serde_json::to_value(&model.requests()[0]).unwrap()["search"], json!("high"));
}

#[tokio::test]
async fn a_model_that_cannot_is_refused_before_anything_runs() {
    let blind = model("x/blind");
    let error = App::builder().model(blind.clone()).flow(Web).build().unwrap_err();
    assert_eq!(error.code(), "no_search");
    let text = error.to_string();
    assert!(
        text.contains("generator `scout` searches the web, and its model `x/blind` cannot"),
        "{text}"
    );

    let test = flowstate::test(scout).model(blind.clone()).run("?".to_string()).await;
    assert_eq!(test.unwrap_err().code(), "no_search");
    let app = App::builder().model(blind.clone()).build().unwrap();
    assert_eq!(app.run(scout, "?".to_string()).await.unwrap_err().code(), "no_search");
    assert_eq!(blind.requests(), []);
}

#[tokio::test]
async fn each_model_must_and_the_one_that_mends_need_not() {
    let app = |second: ScriptedModel| {
        App::builder()
            .model_as("a/web", model("a/web").with_search())
            .model_as("b/web", second)
            .model_as("intent/utility", model("c/mend"))
            .build()
            .unwrap()
    };
    assert_eq!(app(model("b/web").with_search()).run(strict, "?".to_string()).await.unwrap(), 7);
    let error = app(model("b/web")).run(strict, "?".to_string()).await.unwrap_err();
    assert!(error.to_string().contains("`b/web` cannot"), "{error}");
}

#[tokio::test]
async fn a_model_that_the_prompt_picks_must_too() {
    let app = App::builder()
        .model_as("a/web", model("a/web").with_search())
        .model_as("b/blind", model("b/blind"))
        .build()
        .unwrap();
    assert_eq!(app.run(picky, "a/web".to_string()).await.unwrap(), "7");
    let error = app.run(picky, "b/blind".to_string()).await.unwrap_err();
    assert_eq!(error.code(), "no_search");
}
