//! Language models: what a generator asks, and a model for tests.
//!
//! [`Model`] is the trait; [`ScriptedModel`] answers as it is told. The guide's page is
//! [`generators`](crate::guide::generators).

mod scripted;

pub use crate::error::ModelError;
pub use crate::port::{
    Delta, Deltas, FinishReason, Message, Model, ModelRequest, Options, Role, ToolCall, ToolDef,
    ToolResult, Usage, deltas,
};
pub use scripted::{Reply, ScriptedModel};
