//! The events of a request, and the items that they make.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Item, Items};

/// One event of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Event {
    /// Its number in the request, counted from 1.
    pub sequence: u64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// An item began, as it is now.
    Added(Arc<Item>),
    /// An item is another now.
    Updated(Arc<Item>),
    /// An item's text grew.
    Delta {
        /// The item.
        index: u64,
        /// What was added to its text.
        text: String,
    },
    /// An item is final.
    Done(Arc<Item>),
    /// The listener was too slow for so many deltas of text; the items themselves are whole.
    Lagged {
        /// How many.
        lost: u64,
    },
    /// The request ended; nothing comes after it.
    Ended(Outcome),
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It gave its output.
    Completed,
    /// It failed.
    Failed {
        /// The code of the error.
        code: String,
        /// What it says.
        message: String,
    },
    /// It was cancelled.
    Cancelled,
}

/// The items that a request's events make: each index once, those of one key replaced, in the order they began.
#[must_use]
pub fn fold<'e>(events: impl IntoIterator<Item = &'e Event>) -> Vec<Item> {
    let mut items = Items::default();
    for event in events {
        items.take(&event.kind);
    }
    items.into()
}
