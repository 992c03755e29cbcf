//! What the environment says of an app's models.

use flowstate::model::{ModelError, Reply, ScriptedModel};
use flowstate::prelude::*;

#[block(generator, model = "intent/deep-thought")]
async fn thinker(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Think.").user(question))
}

flow! {
    #[flow(kind = "thinking")]
    struct Thinking {
        pub think: thinker,
    }
}

/// A model that says its name.
fn model(name: &str) -> ScriptedModel {
    ScriptedModel::named(name, [Reply::text(name)])
}

fn down(name: &str) -> ScriptedModel {
    ScriptedModel::named(name, [Reply::error(ModelError::new(name, "down"))])
}

async fn asked(environment: &[(&str, &str)]) -> Result<String> {
    let app = App::builder()
        .model(model("a/default"))
        .model_as("intent/deep-thought", model("a/own"))
        .model_as("b/one", model("b/one"))
        .model_as("b/down", down("b/down"))
        .model_list("intent/list", ["b/one"])
        .flow(Thinking)
        .environment(environment.iter().copied())
        .build()?;
    app.request().call(Thinking::think, "?".to_string()).await
}

#[tokio::test]
async fn the_environment_says_which_models_an_intent_is() {
    for (environment, wanted) in [
        (&[][..], "a/own"),
        (&[("FLOWSTATE_INTENT_DEEP_THOUGHT", "b/one")], "b/one"),
        // the default by its own name; the next where one fails
        (&[("FLOWSTATE_INTENT_DEEP_THOUGHT", " b/down , a/default,")], "a/default"),
        // what says nothing, or is for others
        (&[("FLOWSTATE_INTENT_DEEP_THOUGHT", " ")], "a/own"),
        (&[("FLOWSTATE_INTENT_CHAT", "b/one"), ("INTENT_DEEP_THOUGHT", "b/one")], "a/own"),
        (&[("FLOWSTATE_DEFAULT_MODEL", "b/one")], "a/own"),
    ] {
        assert_eq!(asked(environment).await.unwrap(), wanted, "{environment:?}");
    }
}

#[tokio::test]
async fn a_name_that_nobody_knows_is_refused_with_those_that_there_are() {
    for (variable, value, wanted) in [
        ("FLOWSTATE_INTENT_DEEP_THOUGHT", "b/one, b/two", "names the model `b/two`"),
        // a list names models, and no other list
        ("FLOWSTATE_INTENT_CHAT", "intent/list", "names the model `intent/list`"),
        ("FLOWSTATE_DEFAULT_MODEL", "c", "names the model `c`"),
        ("FLOWSTATE_DEFAULT_MODEL", "b/one,b/down", "names one model"),
    ] {
        let error = asked(&[(variable, value)]).await.unwrap_err();
        assert_eq!(error.code(), "unknown_model");
        let text = error.to_string();
        assert!(text.contains(&format!("`{variable}`")) && text.contains(wanted), "{text}");
        if wanted.contains("the model") {
            let known = "there is `b/down`, `b/one`, `intent/deep-thought`, `a/default`";
            assert!(text.contains(known), "{text}");
        }
    }
}

#[tokio::test]
async fn one_variable_is_for_one_intent() {
    let build = |variable: &str| {
        App::builder()
            .model_as("intent/a-b", model("x"))
            .model_as("intent/a_b", model("y"))
            .environment([(variable, "intent/a-b")])
            .build()
    };
    build("FLOWSTATE_INTENT_OTHER").unwrap();
    let error = build("FLOWSTATE_INTENT_A_B").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("stands for `intent/a-b` and for `intent/a_b`"), "{text}");
}

#[tokio::test]
async fn the_default_may_be_another() {
    let app = App::builder()
        .model(model("a/default"))
        .model_as("b/one", model("b/one"))
        .environment([("FLOWSTATE_DEFAULT_MODEL", "b/one")])
        .build()
        .unwrap();
    assert_eq!(app.run(thinker, "?".to_string()).await.unwrap(), "b/one");
}
