//! What a request streams: items, and the events by which a listener sees them come. Plain data, without the runtime.

mod event;
mod items;
mod kind;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use event::{Event, EventKind, Outcome, fold};
pub use items::{Change, Items};
pub use kind::{
    Component, Container, Failure, ItemKind, Message, ModelUsage, Reasoning, RouterDecision,
    Source, StateChange, StatusLine, ToolOutput,
};

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// More of it comes.
    InProgress,
    /// It is final.
    Completed,
    /// It ended before it was whole.
    Incomplete,
    /// It failed.
    Failed,
}

/// Who is shown an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Visibility {
    /// The client of the request.
    pub client: bool,
    /// The history that later requests read.
    pub history: bool,
}

impl Visibility {
    /// Shown to the client, or kept in the history, or both.
    #[must_use]
    pub const fn new(client: bool, history: bool) -> Self {
        Self { client, history }
    }
}

/// One thing that happened in a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Item {
    /// Its place in the request, counted from 0: with the request's id it names the item.
    pub index: u64,
    /// The block it comes from; of a state change, the block that holds the state.
    pub block: String,
    /// Where that block runs: `support > triage[1]`.
    pub path: String,
    /// When it began, in milliseconds since 1970.
    pub time: u64,
    /// How far it is.
    pub status: Status,
    /// Who is shown it.
    pub visibility: Visibility,
    /// Whether it is left out of what is stored.
    pub transient: bool,
    /// Items of one key replace each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What it is.
    #[serde(flatten)]
    pub kind: ItemKind,
}

impl Item {
    /// What it is.
    #[must_use]
    pub fn kind(&self) -> &ItemKind {
        &self.kind
    }

    /// Whether nothing more of it comes.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.status != Status::InProgress
    }

    /// Its text, where it is one for the user.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match &self.kind {
            ItemKind::Message(message) => Some(message.text()),
            _ => None,
        }
    }

    /// The part of a user interface that it is.
    #[must_use]
    pub fn component(&self) -> Option<&Component> {
        match &self.kind {
            ItemKind::Component(component) => Some(component),
            _ => None,
        }
    }
}
