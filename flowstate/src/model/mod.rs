//! Language models: what a generator asks, and models for tests.
//!
//! [`Model`] is the trait; [`ScriptedModel`] answers as it is told, [`RecordedModel`] as another model once did. With the
//! feature `openai`, `OpenAi` is a model behind any server that speaks OpenAI's chat protocol; with `genai`, `GenAi` is one
//! of another provider. The guide's page is [`generators`](crate::guide::generators).

#[cfg(feature = "genai")]
mod genai;
#[cfg(feature = "openai")]
mod openai;
mod recorded;
mod scripted;
#[cfg(any(feature = "openai", feature = "genai"))]
mod server;
#[cfg(any(feature = "openai", feature = "genai"))]
mod strict;

pub use crate::error::ModelError;
pub use crate::port::{
    Delta, Deltas, EstimatedTokens, FinishReason, Message, Model, ModelRequest, Options, Role,
    TokenCounter, ToolCall, ToolDef, ToolResult, Usage, deltas,
};
pub use crate::schema::SearchDepth;
#[cfg(feature = "genai")]
pub use genai::GenAi;
#[cfg(feature = "openai")]
pub use openai::OpenAi;
pub use recorded::RecordedModel;
pub use scripted::{Reply, ScriptedModel};
