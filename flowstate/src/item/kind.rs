//! The sorts of item.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Visibility;

/// What an item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ItemKind {
    /// Text for the user.
    Message(Message),
    /// What a model thought.
    Reasoning(Reasoning),
    /// What is being done right now; an empty text ends it.
    Status(StatusLine),
    /// A part of a user interface.
    Component(Component),
    /// Work with a beginning and an end, in which other items come.
    Container(Container),
    /// Where something was found.
    Source(Source),
    /// A change of a block's state.
    StateChange(StateChange),
    /// Where a router goes on.
    RouterDecision(RouterDecision),
    /// The call of a tool, and what it gave.
    ToolOutput(ToolOutput),
    /// What a generator's model has cost.
    ModelUsage(ModelUsage),
    /// The failure that ended the request.
    Error(Failure),
}

impl ItemKind {
    /// Who is shown such an item where nothing else is said.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        let client = !matches!(self, Self::RouterDecision(_) | Self::ModelUsage(_));
        let history = self.is_text() || matches!(self, Self::ToolOutput(_));
        Visibility::new(client, history)
    }

    /// Whether it is text, of which a block can say who is shown it.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Message(_) | Self::Reasoning(_))
    }

    /// The text that grows while the item is in progress.
    pub(crate) fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Message(message) => Some(&mut message.text),
            Self::Reasoning(reasoning) => Some(&mut reasoning.text),
            _ => None,
        }
    }
}

/// Text for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Message {
    /// Who says it: `assistant`, or `user`.
    pub role: String,
    /// The text.
    pub text: String,
}

impl Message {
    /// Of the assistant.
    pub fn new(text: impl Into<String>) -> Self {
        Self { role: "assistant".into(), text: text.into() }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// What a model thought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Reasoning {
    /// The text.
    pub text: String,
}

impl Reasoning {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// What is being done right now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StatusLine {
    /// The text; empty where nothing is being done.
    pub message: String,
}

impl StatusLine {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// A part of a user interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Component {
    /// Which part.
    pub component: String,
    /// What it shows.
    pub data: Value,
}

impl Component {
    pub(crate) fn new(component: impl Into<String>, data: Value) -> Self {
        Self { component: component.into(), data }
    }
}

/// Work with a beginning and an end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Container {
    /// What it is called.
    pub label: String,
    /// More about it.
    pub metadata: Value,
    /// Why it failed, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Container {
    pub(crate) fn new(label: impl Into<String>, metadata: Value) -> Self {
        Self { label: label.into(), metadata, error: None }
    }
}

/// Where something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Source {
    /// The address.
    pub url: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Source {
    pub(crate) fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), title: None }
    }
}

/// A change of a block's state: which fields, and what they are now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StateChange {
    /// The block that holds the state. (As JSON `owner`: `block` and `path` are the item's.)
    #[serde(rename = "owner")]
    pub block: String,
    /// The state's name.
    pub state: String,
    /// The field; empty where several may have changed at once. (As JSON `field`.)
    #[serde(rename = "field")]
    pub path: String,
    /// The changed fields, as they are now.
    pub delta: Delta,
    /// How often the state has changed so far.
    pub version: u64,
}

impl StateChange {
    pub(crate) fn new(
        block: &str,
        state: &str,
        path: &str,
        delta: Map<String, Value>,
        version: u64,
    ) -> Self {
        Self {
            block: block.into(),
            state: state.into(),
            path: path.into(),
            delta: Delta(delta),
            version,
        }
    }
}

/// Fields and their values; shown as JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Delta(pub Map<String, Value>);

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde_json::to_string(&self.0).map_err(|_| fmt::Error)?.fmt(f)
    }
}

/// Where a router goes on. (The router is the item's block.)
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RouterDecision {
    /// The route's name, as it stands in `routes = […]`.
    pub route: String,
}

impl RouterDecision {
    pub(crate) fn new(route: impl Into<String>) -> Self {
        Self { route: route.into() }
    }
}

/// The call of a tool, and what it gave. (The generator is the item's block.)
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The call, unique in its step.
    pub call_id: String,
    /// The step of the generator, counted from 0.
    pub step: u32,
    /// The tool's name, as it stands in the generator's list.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
    /// What it gave, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Why it failed, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it is what an earlier call gave, and the tool did not run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
}

impl ToolOutput {
    pub(crate) fn new(call_id: &str, step: u32, tool: &str, arguments: &str) -> Self {
        let [call_id, tool, arguments] = [call_id, tool, arguments].map(str::to_owned);
        Self { call_id, step, tool, arguments, output: None, error: None, cached: false }
    }
}

/// What a generator's model has cost, over all its steps. (The generator is the item's block.)
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ModelUsage {
    /// The model that answered last, `provider/model`.
    pub model: String,
    /// How many answers it gave.
    pub answers: u32,
    /// Tokens of what it was asked.
    pub input_tokens: u64,
    /// Tokens of what it answered.
    pub output_tokens: u64,
    /// Of the input, those that the provider had kept from before.
    pub cached_tokens: u64,
}

/// The failure that ended a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Failure {
    /// What it says.
    pub message: String,
    /// Its code.
    pub code: String,
}

impl Failure {
    pub(crate) fn new(message: String, code: &str) -> Self {
        Self { message, code: code.to_owned() }
    }
}
