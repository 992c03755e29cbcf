//! The actions of a flow with their types erased, for requests that name them.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use super::Request;
use crate::error::Result;
use crate::schema::FlowDef;

/// What an action gives, as JSON, once it has run.
pub(crate) type Answer = Pin<Box<dyn Future<Output = Result<Value>> + Send>>;

/// An action with its types erased.
pub trait Entry: Send + Sync {
    /// Runs it as the root of a request, with JSON as its input.
    fn call(&self, request: Arc<Request>, input: Value) -> Answer;
}

/// A flow's definition, and its actions in the same order.
pub struct Entries {
    pub(crate) flow: &'static FlowDef,
    pub(crate) actions: &'static [&'static dyn Entry],
}

impl Entries {
    /// As the macro writes it.
    #[must_use]
    pub const fn new(flow: &'static FlowDef, actions: &'static [&'static dyn Entry]) -> Self {
        Self { flow, actions }
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entries").field(&self.flow.kind).finish()
    }
}
