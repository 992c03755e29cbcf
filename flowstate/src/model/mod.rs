//! Language models: what a generator asks, and a model for tests.
//!
//! [`Model`] is the trait; [`ScriptedModel`] answers as it is told. With the feature `openai`, `OpenAi` is a
//! model behind any server that speaks OpenAI's chat protocol. The guide's page is
//! [`generators`](crate::guide::generators).

#[cfg(feature = "openai")]
mod openai;
mod scripted;

pub use crate::error::ModelError;
pub use crate::port::{
    Delta, Deltas, FinishReason, Message, Model, ModelRequest, Options, Role, ToolCall, ToolDef,
    ToolResult, Usage, deltas,
};
#[cfg(feature = "openai")]
pub use openai::OpenAi;
pub use scripted::{Reply, ScriptedModel};
