//! One dispatch of a block: where it runs, what it holds, and how it reaches the state around it.

mod address;
mod alive;
mod cached;
mod calls;
mod emit;
mod entry;
mod home;
mod keeper;
mod lane;
mod live;
mod notes;
mod outputs;
mod request;
mod side;
mod signal;
mod stream;
mod who;

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

pub(crate) use address::{can_search, no_model, not_provided};
pub use cached::{ToolOutputs, ToolStats};
pub(crate) use calls::{Calls, Run};
#[doc(hidden)]
pub use calls::{Feed, feed};
pub use emit::{OpenContainer, TextStream};
pub use entry::{Called, Entries, Hooks, InFlow};
pub(crate) use entry::{Entry, Fits, Hook, Instance, Job, Later};
pub(crate) use home::{Home, Services};
pub(crate) use keeper::{Keeper, SESSION_RECORD};
pub(crate) use lane::{Lane, LaneKey, Turn};
pub(crate) use live::{Listed, LiveRequest};
pub(crate) use outputs::StoredOutputs;
pub use request::Request;
pub(crate) use side::{Group, Live};
pub use signal::Signal;
pub(crate) use stream::{Stream, now};
pub use who::Who;
pub(crate) use who::kept_session;

use notes::Notes;

use crate::error::Error;
use crate::schema::{Head, Id, Kind};
use crate::state::{Cell, Cells, State, Watch};
use crate::sync::Mutex;

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
///
/// Behind a trait, and so is the request of a [`Link`]: that a block's future is `Send` the compiler proves anew for each
/// block, through all fields of what the block is given, up to a `dyn`.
pub struct Scope<T: ?Sized + Held = dyn Held>(T);

/// What stands behind a [`Scope`].
#[doc(hidden)]
pub trait Held: Send + Sync {
    /// All but the containers.
    fn frame(&self) -> &Frame;
    /// The containers.
    fn cells(&self) -> &dyn Cells;
    /// The container with this id of the nearest sequencer that has one, from here on upwards.
    fn nearest(&self, id: TypeId) -> Option<&dyn Any>;
}

struct Opened<C> {
    frame: Frame,
    cells: C,
}

impl<C: Cells> Held for Opened<C> {
    #[inline]
    fn frame(&self) -> &Frame {
        &self.frame
    }
    #[inline]
    fn cells(&self) -> &dyn Cells {
        &self.cells
    }
    fn nearest(&self, id: TypeId) -> Option<&dyn Any> {
        if self.frame.head.kind == Kind::Sequencer
            && let Some(found) = self.cells.find(id)
        {
            return Some(found);
        }
        match &self.frame.over {
            Over::Request(_) => None,
            Over::Scope(parent) => parent.0.nearest(id),
        }
    }
}

/// What a scope knows besides its containers.
#[doc(hidden)]
pub struct Frame {
    head: &'static Head,
    over: Over,
    place: Place,
    helper_calls: AtomicU32,
    /// What it notes of the runs under it.
    // (an `Arc`, for its drop is short where there are none)
    notes: OnceLock<Arc<Mutex<Notes>>>,
    /// What this block has queued in the background.
    side: OnceLock<Arc<Group>>,
}

/// What a scope keeps alive: the block that runs it, or at the root the request. One reference, not both: to count them
/// costs more than to walk up to the request when it is asked for.
enum Over {
    Request(Arc<Request>),
    Scope(Arc<Scope>),
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({}, {:?})", self.head.name, self.place)
    }
}

/// One dispatch as its dispatcher holds it: what the block is started under, and where.
#[derive(Clone, Copy)]
pub struct Link<'a> {
    up: Up<'a>,
    place: Place,
}

#[derive(Clone, Copy)]
enum Up<'a> {
    Root(&'a dyn Root),
    Scope(&'a Arc<Scope>),
    /// Inside a block's own scope: its functions, not its children.
    Own(&'a Arc<Scope>),
}

/// A request, as the compiler need not look into it.
trait Root: Send + Sync {
    fn request(&self) -> &Arc<Request>;
}

impl Root for Arc<Request> {
    #[inline]
    fn request(&self) -> &Arc<Request> {
        self
    }
}

impl<'a> Link<'a> {
    pub(crate) fn root(request: &'a Arc<Request>) -> Self {
        Self { up: Up::Root(request), place: Place::default() }
    }

    #[inline]
    pub(crate) fn under(parent: &'a Arc<Scope>, place: Place) -> Self {
        Self { up: Up::Scope(parent), place }
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    #[inline]
    fn parent(&self) -> Option<&'a Arc<Scope>> {
        match self.up {
            Up::Root(_) => None,
            Up::Scope(parent) => Some(parent),
            Up::Own(own) => own.parent(),
        }
    }

    /// The block's own scope, seen from inside it; else the one it runs under.
    fn scope(&self) -> Option<&'a Arc<Scope>> {
        match self.up {
            Up::Root(_) => None,
            Up::Scope(scope) | Up::Own(scope) => Some(scope),
        }
    }

    fn request(&self) -> &'a Arc<Request> {
        match self.up {
            Up::Root(root) => root.request(),
            Up::Scope(scope) | Up::Own(scope) => scope.request(),
        }
    }

    pub(crate) fn path(&self, head: &Head) -> String {
        let mut path = self.parent().map_or_else(String::new, |parent| parent.path());
        write_level(&mut path, head, self.place);
        path
    }

    #[cold]
    pub(crate) fn name(&self, head: &Head, error: Error) -> Error {
        error.placed(|| (self.path(head), head.name))
    }
}

impl fmt::Debug for Link<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parent = self.parent().map(|parent| parent.path()).unwrap_or_default();
        write!(f, "At({parent:?}, {:?})", self.place)
    }
}

/// Where a block is started: in which request, under which block.
#[derive(Debug, Clone, Copy)]
pub struct At<'a>(&'a Link<'a>);

impl<'a> At<'a> {
    #[inline]
    pub(crate) fn new(link: &'a Link<'a>) -> Self {
        Self(link)
    }

    #[inline]
    pub(crate) fn link(self) -> &'a Link<'a> {
        self.0
    }

    /// The scope of a block that runs others.
    #[doc(hidden)]
    #[inline]
    pub fn open(self, head: &'static Head, cells: impl Cells) -> Arc<Scope> {
        self.0.open(head, cells)
    }

    /// The same dispatch, seen from inside the scope that the block has opened.
    #[doc(hidden)]
    #[inline]
    pub fn inside(self, own: &'a Arc<Scope>) -> Link<'a> {
        Link { up: Up::Own(own), place: self.0.place }
    }

    /// The containers of a block that runs no other.
    #[doc(hidden)]
    #[inline]
    pub fn hold<C: Cells>(self, head: &'static Head, mut cells: C) -> C {
        self.0.watch(head, &mut cells);
        cells
    }

    /// What its context stands on. Two words: a third would be copied through memory at each step.
    #[doc(hidden)]
    #[inline]
    pub fn base(self, head: fn() -> &'static Head) -> Base<'a> {
        Base { link: self.0, head }
    }
}

impl Link<'_> {
    #[inline]
    pub(crate) fn open(&self, head: &'static Head, mut cells: impl Cells) -> Arc<Scope> {
        self.watch(head, &mut cells);
        let over = match self.up {
            Up::Root(root) => Over::Request(root.request().clone()),
            Up::Scope(parent) | Up::Own(parent) => Over::Scope(parent.clone()),
        };
        let frame = Frame {
            head,
            over,
            place: self.place,
            helper_calls: AtomicU32::new(0),
            notes: OnceLock::new(),
            side: OnceLock::new(),
        };
        Arc::new(Scope(Opened { frame, cells }))
    }

    /// Lets the request's listener, if there is one, see what becomes of a block's state.
    #[inline]
    fn watch(&self, head: &'static Head, cells: &mut impl Cells) {
        if let Some(stream) = self.request().stream().filter(|stream| stream.is_watched()) {
            let (stream, path) = (stream.clone(), self.path(head));
            cells.watch(&Watch::new(move |change| stream.change(head.name, &path, change)));
        }
    }

    /// The context of the functions of a block that has opened a scope.
    #[doc(hidden)]
    #[inline]
    pub fn base<'a>(&'a self, head: fn() -> &'static Head) -> Base<'a> {
        Base { link: self, head }
    }
}

fn write_level(path: &mut String, head: &Head, place: Place) {
    use fmt::Write as _;
    if head.kind == Kind::Adapter || head.name.is_empty() {
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
    /// Its containers, with the type that it was opened with.
    #[doc(hidden)]
    #[inline]
    pub fn known<C: Cells>(&self) -> &C {
        let cells: &dyn Any = self.cells();
        cells.downcast_ref().unwrap_or_else(|| unreachable!("the block opened it with this type"))
    }

    #[inline]
    fn parent(&self) -> Option<&Arc<Self>> {
        match &self.frame().over {
            Over::Request(_) => None,
            Over::Scope(parent) => Some(parent),
        }
    }

    fn request(&self) -> &Arc<Request> {
        let mut scope = self;
        loop {
            match &scope.frame().over {
                Over::Request(request) => return request,
                Over::Scope(parent) => scope = parent,
            }
        }
    }

    #[inline]
    fn cells(&self) -> &dyn Cells {
        self.0.cells()
    }

    #[inline]
    fn frame(&self) -> &Frame {
        self.0.frame()
    }

    #[inline]
    fn head(&self) -> &'static Head {
        self.frame().head
    }

    /// An error of the block's own functions, with its name.
    pub(crate) fn named(&self, error: Error) -> Error {
        error.placed(|| (self.path(), self.head().name))
    }

    /// How often helpers have run a step of this sequencer so far.
    pub(crate) fn count_helper_call(&self) -> u32 {
        self.frame().helper_calls.fetch_add(1, Ordering::Relaxed)
    }

    /// The container of `S`, if this block holds one.
    pub(crate) fn state<S: State>(&self) -> Option<&Cell<S>> {
        self.cells().get()
    }

    /// The nearest block of this name around this one.
    pub(crate) fn ancestor(&self, name: &str) -> Option<&Arc<Self>> {
        let mut next = self.parent();
        while let Some(scope) = next
            && scope.head().name != name
        {
            next = scope.parent();
        }
        next
    }

    fn path(&self) -> String {
        let mut path = self.parent().map_or_else(String::new, |parent| parent.path());
        write_level(&mut path, self.head(), self.frame().place);
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
    link: &'a Link<'a>,
    // (a function, which the compiler need not look into)
    head: fn() -> &'static Head,
}

impl<'a> Base<'a> {
    /// Where the block runs: `support > triage[1] > call_model`.
    #[must_use]
    pub fn path(&self) -> String {
        self.link.path(self.head())
    }

    /// What the block says of itself.
    pub(crate) fn head(&self) -> &'static Head {
        (self.head)()
    }

    /// The block's name.
    #[must_use]
    pub fn block(&self) -> &'static str {
        self.head().name
    }

    /// Whether a block that is declared like this one ended in its rescue when the sequencer last ran it.
    #[doc(hidden)]
    #[must_use]
    pub fn rescued(&self, id: Id) -> bool {
        self.link.scope().is_some_and(|scope| scope.was_rescued(id))
    }

    /// What a block that is declared like this one returned when the sequencer last ran it.
    #[doc(hidden)]
    #[must_use]
    pub fn output<O: Clone + 'static>(&self, id: Id) -> Option<O> {
        self.link.scope()?.output(id)
    }

    /// Tells tasks of one's own when the request is cancelled, or a step around the block is aborted; the block itself is
    /// dropped then.
    #[must_use]
    pub fn signal(&self) -> Signal {
        self.link.signal()
    }

    /// The request it runs in.
    #[must_use]
    pub fn current_request(&self) -> &'a Request {
        self.link.request()
    }
}

impl fmt::Debug for Base<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctx({})", self.path())
    }
}
