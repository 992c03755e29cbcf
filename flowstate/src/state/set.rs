//! Which states a block holds or reads, as one type that a macro writes: `()`, `One<S>`, `(X, Y)`.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Access, Cell, NoMoreState, State, StoredCell, Watch, access};

/// The containers of one scope, whatever their types.
pub trait Cells: Any + Send + Sync {
    /// The container of the state with this id.
    fn find(&self, id: TypeId) -> Option<&dyn Any>;
    /// From here on, changes are told.
    #[doc(hidden)]
    fn watch(&mut self, watch: &Watch);
}

impl dyn Cells {
    /// The container of `S`, if there is one.
    #[inline]
    pub(crate) fn get<S: State>(&self) -> Option<&Cell<S>> {
        // most scopes hold one state, and that one is asked for
        let only: &dyn Any = self;
        match only.downcast_ref::<Cell<S>>() {
            Some(cell) => Some(cell),
            None => self.find(TypeId::of::<Cell<S>>())?.downcast_ref(),
        }
    }
}

impl Cells for () {
    fn watch(&mut self, _: &Watch) {}

    fn find(&self, _: TypeId) -> Option<&dyn Any> {
        None
    }
}

impl<S: State> Cells for Cell<S> {
    fn watch(&mut self, watch: &Watch) {
        Self::watch(self, watch);
    }

    fn find(&self, id: TypeId) -> Option<&dyn Any> {
        (id == TypeId::of::<Self>()).then_some(self)
    }
}

/// Several containers, one for each state type.
#[derive(Default)]
pub struct Bag(SmallVec<[Arc<dyn Slot>; 2]>);

/// A container in a bag.
trait Slot: Any + Send + Sync {
    fn watch(&mut self, watch: &Watch);
}

impl<S: State> Slot for Cell<S> {
    fn watch(&mut self, watch: &Watch) {
        Self::watch(self, watch);
    }
}

impl<S: State> Slot for StoredCell<S> {
    fn watch(&mut self, _: &Watch) {}
}

impl Bag {
    /// Adds a container, unless there is one of that state.
    pub(crate) fn add<S: State>(&mut self, cell: impl FnOnce() -> Arc<Cell<S>>) {
        if self.get::<Cell<S>>().is_none() {
            self.0.push(cell());
        }
    }

    /// Adds a view, unless there is one of that state.
    pub(crate) fn add_view<S: State>(&mut self, view: impl FnOnce() -> Arc<StoredCell<S>>) {
        if self.get::<StoredCell<S>>().is_none() {
            self.0.push(view());
        }
    }

    /// Puts a state in, in place of one of its type.
    pub(crate) fn put<S: State>(&mut self, state: S) {
        self.0.retain(|cell| !(&**cell as &dyn Any).is::<Cell<S>>());
        self.0.push(Arc::new(Cell::new(state)));
    }

    pub(crate) fn get<C: Any>(&self) -> Option<&C> {
        self.find(TypeId::of::<C>())?.downcast_ref()
    }
}

impl Visit for Bag {
    fn state<S: State>(&mut self) {
        self.add(|| Arc::new(Cell::new(S::default())));
    }
}

impl<'a, W: 'static> Find<'a, access::Local<W>> for &'a Bag {
    fn find<S: State>(&self) -> Option<&'a Cell<S>> {
        self.get()
    }
}

impl<'a, W: 'static> Find<'a, access::Stored<W>> for &'a Bag {
    fn find<S: State>(&self) -> Option<&'a StoredCell<S>> {
        self.get()
    }
}

impl Cells for Bag {
    fn watch(&mut self, watch: &Watch) {
        for slot in self.0.iter_mut().filter_map(Arc::get_mut) {
            slot.watch(watch);
        }
    }

    fn find(&self, id: TypeId) -> Option<&dyn Any> {
        self.0.iter().map(|cell| &**cell as &dyn Any).find(|cell| (*cell).type_id() == id)
    }
}

impl fmt::Debug for Bag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bag({})", self.0.len())
    }
}

/// A set of states, as a type.
pub trait StateSet: 'static {
    /// The containers of all states of the set.
    type Cells: Cells;
    /// The handle that has all fields of all states, and then what `R` has.
    type Handle<'a, A: Access, R: 'a>: 'a;

    /// New containers, with the states' defaults.
    fn cells() -> Self::Cells;
    /// Visits each state of the set, in order.
    fn each(visit: &mut impl Visit);
    /// The handle over containers found by `find`; `None` where one is missing.
    fn handle<'a, A: Access, R: 'a>(
        find: &impl Find<'a, A>,
        rest: R,
    ) -> Option<Self::Handle<'a, A, R>>;
}

/// Is shown each state of a set.
pub trait Visit {
    /// One state of the set.
    fn state<S: State>(&mut self);
}

/// Finds the container of a state.
pub trait Find<'a, A: Access> {
    /// The container of `S`, if there is one.
    fn find<S: State>(&self) -> Option<A::Ref<'a, S>>;
}

impl<'a, W: 'static> Find<'a, access::Local<W>> for &'a dyn Cells {
    #[inline]
    fn find<S: State>(&self) -> Option<&'a Cell<S>> {
        self.get()
    }
}

/// Containers whose type is known: what is there is known when compiled.
#[derive(Debug)]
pub(crate) struct Known<'a, X>(pub(crate) &'a X);

impl<'a, W: 'static, X: Cells> Find<'a, access::Local<W>> for Known<'a, X> {
    #[inline]
    fn find<S: State>(&self) -> Option<&'a Cell<S>> {
        (self.0 as &dyn Cells).get()
    }
}

/// A set of one state.
#[derive(Debug)]
pub struct One<S>(std::marker::PhantomData<fn() -> S>);

impl StateSet for () {
    type Cells = ();
    type Handle<'a, A: Access, R: 'a> = R;

    fn cells() -> Self::Cells {}
    fn each(_: &mut impl Visit) {}
    fn handle<'a, A: Access, R: 'a>(_: &impl Find<'a, A>, rest: R) -> Option<R> {
        Some(rest)
    }
}

impl<S: State> StateSet for One<S> {
    type Cells = Cell<S>;
    type Handle<'a, A: Access, R: 'a> = S::Handle<'a, A, R>;

    #[inline]
    fn cells() -> Self::Cells {
        Cell::new(S::default())
    }
    fn each(visit: &mut impl Visit) {
        visit.state::<S>();
    }
    #[inline]
    fn handle<'a, A: Access, R: 'a>(
        find: &impl Find<'a, A>,
        rest: R,
    ) -> Option<Self::Handle<'a, A, R>> {
        Some(S::handle(super::Tail::new(find.find::<S>()?, rest)))
    }
}

impl<X: StateSet, Y: StateSet> StateSet for (X, Y) {
    type Cells = Bag;
    type Handle<'a, A: Access, R: 'a> = X::Handle<'a, A, Y::Handle<'a, A, R>>;

    fn cells() -> Self::Cells {
        let mut bag = Bag::default();
        Self::each(&mut bag);
        bag
    }
    fn each(visit: &mut impl Visit) {
        X::each(visit);
        Y::each(visit);
    }
    fn handle<'a, A: Access, R: 'a>(
        find: &impl Find<'a, A>,
        rest: R,
    ) -> Option<Self::Handle<'a, A, R>> {
        X::handle(find, Y::handle(find, rest)?)
    }
}

/// The end of every chain of handles.
pub(crate) const END: NoMoreState = NoMoreState;
