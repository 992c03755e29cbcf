//! One dispatch of a block: where it runs, what it holds, and how it reaches the state around it.

mod address;
mod request;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) use address::not_provided;
pub(crate) use request::{Keeper, Services};
pub use request::{Request, Who};

use crate::error::Error;
use crate::schema::{Head, Kind};
use crate::state::{Cell, Cells, State};

/// Where among its parent's dispatches one stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The operation of the parent, counted from 0 in the order of its text.
    pub op: u32,
    /// The item, branch or iteration, where the operation has several.
    pub lane: Option<u32>,
    /// How often loops had gone back before it.
    pub pass: u32,
}

/// A block that runs others, while it runs: what its children see of it.
pub struct Scope<C: ?Sized + Cells = dyn Cells> {
    head: &'static Head,
    parent: Option<Arc<Scope>>,
    request: Arc<Request>,
    place: Place,
    helper_calls: AtomicU32,
    cells: C,
}

/// Where a block is started: in which request, under which block.
#[derive(Clone, Copy)]
pub struct At<'a> {
    request: &'a Arc<Request>,
    parent: Option<&'a Arc<Scope>>,
    place: Place,
}

impl<'a> At<'a> {
    pub(crate) fn root(request: &'a Arc<Request>) -> Self {
        Self { request, parent: None, place: Place::default() }
    }

    /// Under a block that is given; what the tests of one block stand on.
    pub(crate) fn under(parent: &'a Arc<Scope>) -> Self {
        Self { request: &parent.request, parent: Some(parent), place: Place::default() }
    }

    /// The scope of a block that runs others.
    #[doc(hidden)]
    #[inline]
    pub fn open<C: Cells>(&self, head: &'static Head, cells: C) -> Arc<Scope> {
        Arc::new(Scope {
            head,
            parent: self.parent.cloned(),
            request: self.request.clone(),
            place: self.place,
            helper_calls: AtomicU32::new(0),
            cells,
        })
    }

    /// The context of a block that runs no other.
    #[doc(hidden)]
    #[inline]
    pub fn leaf(self, head: &'static Head) -> Base<'a> {
        Base { at: self, head, own: None }
    }

    #[cold]
    pub(crate) fn name(&self, head: &Head, error: Error) -> Error {
        error.placed(|| (self.path(head), head.name))
    }

    fn path(&self, head: &Head) -> String {
        let mut path = self.parent.map_or_else(String::new, |parent| parent.path());
        write_level(&mut path, head, self.place);
        path
    }
}

impl fmt::Debug for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parent = self.parent.map(|parent| parent.path()).unwrap_or_default();
        write!(f, "At({parent:?}, {:?})", self.place)
    }
}

fn write_level(path: &mut String, head: &Head, place: Place) {
    use fmt::Write as _;
    if head.kind == Kind::Adapter {
        return;
    }
    if !path.is_empty() {
        path.push_str(" > ");
    }
    path.push_str(head.name);
    if let Some(lane) = place.lane {
        let _ = write!(path, "[{lane}]");
    }
    if place.pass > 0 {
        let _ = write!(path, "[{}]", place.pass);
    }
}

impl Scope {
    /// How often helpers have run a step of this sequencer so far.
    pub(crate) fn count_helper_call(&self) -> u32 {
        self.helper_calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Where a child of this block is started.
    #[doc(hidden)]
    #[inline]
    pub fn child<'a>(self: &'a Arc<Self>, place: Place) -> At<'a> {
        At { request: &self.request, parent: Some(self), place }
    }

    /// The context of the block's own functions.
    #[doc(hidden)]
    #[inline]
    pub fn base<'a>(self: &'a Arc<Self>) -> Base<'a> {
        let at = At { request: &self.request, parent: self.parent.as_ref(), place: self.place };
        Base { at, head: self.head, own: Some(self) }
    }

    /// The container of `S`, if this block holds one.
    pub(crate) fn state<S: State>(&self) -> Option<&Cell<S>> {
        self.cells.get()
    }

    /// The nearest block of this name around this one.
    pub(crate) fn ancestor(&self, name: &str) -> Option<&Arc<Self>> {
        let mut next = self.parent.as_ref();
        while let Some(scope) = next
            && scope.head.name != name
        {
            next = scope.parent.as_ref();
        }
        next
    }

    fn path(&self) -> String {
        let mut path = self.parent.as_ref().map_or_else(String::new, |parent| parent.path());
        write_level(&mut path, self.head, self.place);
        path
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scope({})", self.path())
    }
}

/// What every block's context can do, whatever state the block declares.
#[derive(Clone, Copy)]
pub struct Base<'a> {
    at: At<'a>,
    head: &'static Head,
    own: Option<&'a Arc<Scope>>,
}

impl<'a> Base<'a> {
    /// Where the block runs: `support > triage[1] > call_model`.
    #[must_use]
    pub fn path(&self) -> String {
        self.at.path(self.head)
    }

    /// The block's name.
    #[must_use]
    pub fn block(&self) -> &'static str {
        self.head.name
    }

    /// The request it runs in.
    #[must_use]
    pub fn current_request(&self) -> &'a Request {
        self.at.request
    }

    #[doc(hidden)]
    #[inline]
    pub fn scope(&self) -> Option<&'a Arc<Scope>> {
        self.own
    }
}

impl fmt::Debug for Base<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctx({})", self.path())
    }
}
