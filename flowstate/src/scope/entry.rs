//! The entries of a flow with their types erased, its hooks, and the flows of an app.

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use super::{Request, Who};
use crate::error::{Result, ValidationError};
use crate::item::{Failure, Outcome};
use crate::schema::FlowDef;

/// What comes later.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// An entry with its types erased.
pub trait Entry: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Itself, with its types.
    fn any(&self) -> &dyn Any;
    /// A call of it with JSON as its input; `of` says of what.
    fn job(&'static self, input: Value, of: &dyn Fn() -> String) -> Fits<Box<dyn Job>>;
}

/// What JSON is or gives, or why it does not fit.
pub(crate) type Fits<T> = Result<T, ValidationError>;

/// A call of an entry with its types erased: what runs round it is compiled once, and not for each entry.
pub trait Job: Send {
    /// The line that the entry's function puts it in.
    fn line(&self, who: &Who) -> Option<String>;
    /// What the user says with it.
    fn said(&self) -> Option<String>;
    /// Runs its block, and keeps the output.
    fn run<'a>(&'a mut self, request: &'a Arc<Request>) -> Later<'a, ()>;
    /// What runs after its success.
    fn completed<'a>(&self, request: &'a Arc<Request>) -> Option<Later<'a, ()>>;
    /// What runs after its failure.
    fn errored(&self) -> Option<Hook<Failure>>;
    /// Its output as JSON, once it has run.
    fn json(&mut self) -> Value;
}

/// Runs the block of a hook in a request.
pub(crate) type Hook<I> = for<'a> fn(I, &'a Arc<Request>) -> Later<'a, ()>;

/// A request of an action, for the hooks of its flow.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Called {
    /// The flow's id; its kind, where there is one of it.
    pub flow: String,
    /// The action.
    pub action: String,
    /// The request's id.
    pub request: String,
    /// How it ended, once it has.
    pub outcome: Option<Outcome>,
}

impl Called {
    pub(crate) fn new(flow: &str, action: &str, request: String, outcome: Option<Outcome>) -> Self {
        Self { flow: flow.to_owned(), action: action.to_owned(), request, outcome }
    }
}

/// What a flow runs round each request.
#[derive(Default)]
pub struct Hooks {
    pub(crate) started: Option<Hook<Called>>,
    pub(crate) completed: Option<Hook<Called>>,
    pub(crate) errored: Option<Hook<Failure>>,
    pub(crate) finished: Option<Hook<Called>>,
}

impl Hooks {
    /// None.
    pub const NONE: Self = Self { started: None, completed: None, errored: None, finished: None };

    /// The same, with one that runs first.
    #[must_use]
    pub const fn on_started(mut self, hook: Hook<Called>) -> Self {
        self.started = Some(hook);
        self
    }

    /// The same, with one that runs after success.
    #[must_use]
    pub const fn on_completed(mut self, hook: Hook<Called>) -> Self {
        self.completed = Some(hook);
        self
    }

    /// The same, with one that runs after a failure.
    #[must_use]
    pub const fn on_errored(mut self, hook: Hook<Failure>) -> Self {
        self.errored = Some(hook);
        self
    }

    /// The same, with one that runs last.
    #[must_use]
    pub const fn on_finished(mut self, hook: Hook<Called>) -> Self {
        self.finished = Some(hook);
        self
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}

/// A flow's definition, its entries and its hooks.
pub struct Entries {
    pub(crate) flow: &'static FlowDef,
    pub(crate) entries: &'static [&'static dyn Entry],
    pub(crate) hooks: Hooks,
}

impl Entries {
    /// As the macro writes it.
    #[must_use]
    pub const fn new(
        flow: &'static FlowDef,
        entries: &'static [&'static dyn Entry],
        hooks: Hooks,
    ) -> Self {
        Self { flow, entries, hooks }
    }

    /// The entry of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&'static dyn Entry> {
        self.entries.iter().copied().find(|entry| entry.name() == name)
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entries").field(&self.flow.kind).finish()
    }
}

/// A flow in an app.
pub(crate) struct Instance {
    pub(crate) entries: &'static Entries,
    /// Its kind, where there is one of it.
    pub(crate) id: String,
    /// A value of the type of its configuration.
    pub(crate) config: Arc<dyn Any + Send + Sync>,
}

impl Instance {
    pub(crate) fn new(
        entries: &'static Entries,
        id: String,
        config: Arc<dyn Any + Send + Sync>,
    ) -> Self {
        Self { entries, id, config }
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Instance").field(&self.id).finish()
    }
}

/// The flow that a block runs in, as the block declares it: `ctx.flow`.
#[derive(Debug)]
#[non_exhaustive]
pub struct InFlow<'a, T> {
    /// Its configuration, which nothing changes.
    pub config: &'a T,
}

impl<'a, T> InFlow<'a, T> {
    pub(super) fn new(config: &'a T) -> Self {
        Self { config }
    }
}
