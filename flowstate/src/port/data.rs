//! What a model is asked and what it answers, as plain data: nothing of it is a provider's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema::SearchDepth;

/// One call of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The conversation so far: system texts, history, the user's words, then what the model and its tools said.
    pub messages: Vec<Message>,
    /// The tools that it may call.
    pub tools: Vec<ToolDef>,
    /// How it is to answer.
    pub options: Options,
    /// The JSON Schema that its answer must fit, an object's; `None` where the answer is text.
    pub response_schema: Option<Value>,
    /// Whether its provider is to search the web for it; only a model that [`searches`](super::Model::searches) is asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchDepth>,
}

impl ModelRequest {
    /// One with these messages, and nothing else said.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// The first system text; empty where there is none.
    #[must_use]
    pub fn system(&self) -> &str {
        match self.messages.first() {
            Some(Message::System { text }) => text,
            _ => "",
        }
    }

    /// The last thing that the user said; empty where there is none.
    #[must_use]
    pub fn last_user(&self) -> &str {
        let said = self.messages.iter().rev().find_map(|message| match message {
            Message::User { text } => Some(text.as_str()),
            _ => None,
        });
        said.unwrap_or_default()
    }

    /// The conversation so far.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The tools that it may call.
    #[must_use]
    pub fn tools(&self) -> &[ToolDef] {
        &self.tools
    }
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The program.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// What the program says.
    System {
        /// The text.
        text: String,
    },
    /// What the user says.
    User {
        /// The text.
        text: String,
    },
    /// What the model said.
    Assistant {
        /// The text; may be empty where it called tools.
        text: String,
        /// The tools that it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What its provider wants back as it was, such as signed thoughts: [`Delta::Opaque`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        opaque: Vec<Value>,
    },
    /// What a tool gave.
    Tool(ToolResult),
}

impl Message {
    /// Of the program.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    /// Of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// Of the model, without calls.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), tool_calls: Vec::new(), opaque: Vec::new() }
    }

    /// Who says it.
    #[must_use]
    pub fn role(&self) -> Role {
        match self {
            Self::System { .. } => Role::System,
            Self::User { .. } => Role::User,
            Self::Assistant { .. } => Role::Assistant,
            Self::Tool(_) => Role::Tool,
        }
    }

    /// What is said; of a tool, what the model is shown.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::System { text } | Self::User { text } | Self::Assistant { text, .. } => text,
            Self::Tool(result) => &result.text,
        }
    }
}

/// A tool that a model called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolCall {
    /// The call, unique in its step.
    pub id: String,
    /// The tool's name, as the model was told it.
    pub name: String,
    /// The arguments, as the model wrote them: JSON if it did well.
    pub arguments: String,
}

impl ToolCall {
    /// A call.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolResult {
    /// The call.
    pub call_id: String,
    /// The tool's name, as the model was told it.
    pub name: String,
    /// What the model is shown: a text as it is, anything else as JSON; of a failure, what went wrong.
    pub text: String,
    /// Whether it failed.
    pub failed: bool,
}

impl ToolResult {
    /// What `call` gave.
    #[must_use]
    pub fn of(call: &ToolCall, text: String, failed: bool) -> Self {
        Self { call_id: call.id.clone(), name: call.name.clone(), text, failed }
    }
}

/// A tool, as a model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolDef {
    /// Its name: letters, digits, `_` and `-`; unique in the request.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments, an object's.
    pub schema: Value,
}

impl ToolDef {
    /// A tool.
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: Value) -> Self {
        Self { name: name.into(), description: description.into(), schema }
    }
}

/// How a model is to answer; what is `None` is the model's own choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Options {
    /// How freely it chooses its words: 0 for the likeliest ones, mostly up to 2.
    pub temperature: Option<f32>,
    /// How many tokens one answer has at most.
    pub max_tokens: Option<u32>,
    /// Texts at which it stops.
    pub stop: Vec<String>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delta {
    /// More of the text.
    Text(String),
    /// More of what it thinks.
    Reasoning(String),
    /// More of a call.
    ToolCall {
        /// Which call of the answer, counted from 0.
        index: usize,
        /// Its id; empty where that came before, or where the provider gives none.
        id: String,
        /// The tool's name; empty where that came before.
        name: String,
        /// More of the arguments' text.
        arguments: String,
    },
    /// Where the provider found something.
    Source {
        /// The address.
        url: String,
        /// Its title.
        title: Option<String>,
    },
    /// What the answer has cost; the last one of an answer counts.
    Usage(Usage),
    /// Why the answer ends.
    Finish(FinishReason),
    /// What the provider wants back with this answer, as it is.
    Opaque(Value),
}

/// Tokens that were used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Usage {
    /// Of what it was asked.
    pub input_tokens: u64,
    /// Of what it answered.
    pub output_tokens: u64,
    /// Of the input, those that the provider had kept from before.
    pub cached_tokens: u64,
}

impl Usage {
    /// Of a question and its answer.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cached_tokens: 0 }
    }

    /// All tokens.
    #[must_use]
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// This and that.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
        }
    }
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// It was whole, or met one of the `stop` texts.
    Stop,
    /// It called tools.
    ToolCalls,
    /// It was as long as it may be.
    Length,
    /// The provider refused some of it.
    ContentFilter,
    /// Something else.
    Other,
}
