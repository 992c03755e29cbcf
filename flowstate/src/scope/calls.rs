//! The order in which the tools of a generator change contracts, and what they feed.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{At, Base, Link, Place};
use crate::error::Result;
use crate::schema::{BlockDef, Id, Kind, check::changes};
use crate::sync::{Mutex, Notify};

/// The tool calls of one step that run, and what each can change.
#[derive(Default)]
pub(crate) struct Calls {
    running: Mutex<Vec<(u32, &'static BlockDef)>>,
    ended: Notify,
}

impl Calls {
    pub(crate) fn new(running: Vec<(u32, &'static BlockDef)>) -> Arc<Self> {
        Arc::new(Self { running: Mutex::new(running), ended: Notify::default() })
    }

    /// The call ends when the guard is dropped.
    pub(crate) fn call(self: &Arc<Self>, op: u32) -> Call {
        Call(self.clone(), op)
    }

    /// Returns when no earlier call can change the contract.
    async fn turn(&self, op: u32, contract: Id) {
        loop {
            let mut ended = pin!(self.ended.notified());
            ended.as_mut().enable();
            let first = |(other, def): &(u32, &BlockDef)| *other < op && changes(def, contract);
            if !self.running.lock().iter().any(first) {
                return;
            }
            ended.await;
        }
    }
}

/// A tool call, while it runs.
pub(crate) struct Call(Arc<Calls>, u32);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.running.lock().retain(|(op, _)| *op != self.1);
        self.0.ended.notify_waiters();
    }
}

static SCOPES: AtomicU64 = AtomicU64::new(1);

pub(super) fn next_scope() -> u64 {
    SCOPES.fetch_add(1, Ordering::Relaxed)
}

/// One dispatch of a block in its request, also when it is tried again: under which scope, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run(u64, Place);

impl Base<'_> {
    /// The same block, as at one of its children.
    pub(crate) fn at_child<'b>(&self, link: &'b Link<'b>) -> Base<'b> {
        Base { link, head: self.head }
    }

    /// The block's run.
    pub(crate) fn run(&self) -> Run {
        Run(self.link.parent().map_or(0, |parent| parent.number()), self.link.place)
    }

    /// Returns when no tool call that the model made before this one can change the contract.
    pub(crate) async fn turn(&self, contract: Id) {
        let (mut place, mut next) = (self.link.place, self.link.parent());
        while let Some(scope) = next {
            if let Some(calls) = scope.calls() {
                calls.turn(place.op, contract).await;
            }
            (place, next) = (scope.frame().place, scope.parent());
        }
    }
}

/// Updates of a contract that a tool feeds.
#[doc(hidden)]
pub trait Feed: Send {
    /// Commits them, as this run of the generator.
    fn commit<'a>(
        self: Box<Self>,
        base: Base<'a>,
        run: Run,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;
}

/// Notes what a block feeds, where it is a tool.
#[doc(hidden)]
pub fn feed(at: At<'_>, fed: impl FnOnce() -> Vec<Box<dyn Feed>>) {
    let link = at.link();
    if link.parent().is_some_and(|parent| parent.head().kind == Kind::Generator) {
        link.note_fed(fed());
    }
}
