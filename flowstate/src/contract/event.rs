//! Updates of a contract: what a reducer is called with, kept until it is applied.

use std::fmt;

use super::Contract;
use crate::error::{UpdateRejected, caught};
use crate::state::{holds, in_field};

type Apply<S> = Box<dyn Fn(&mut S) -> Result<(), String> + Send + Sync>;

/// One update of a contract: a reducer, and what it is called with.
pub struct Event<S> {
    name: &'static str,
    apply: Apply<S>,
}

impl<S: Contract> Event<S> {
    /// The update of a reducer, as the macro writes it; it may be applied again.
    #[doc(hidden)]
    pub fn new<A: Clone + Send + Sync + 'static>(
        name: &'static str,
        given: A,
        apply: impl Fn(&mut S, A) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self { name, apply: Box::new(move |state| apply(state, given.clone())) }
    }

    /// Makes the next value, if it holds.
    pub(super) fn apply(&self, state: &mut S) -> Result<(), UpdateRejected> {
        let rejected = |(field, reason)| UpdateRejected::new(S::DEF.name, self.name, field, reason);
        let reduced = caught(|| (self.apply)(state))
            .unwrap_or_else(|panic| Err(format!("the reducer panicked: {}", panic.message())));
        reduced.map_err(in_field::<S>).and_then(|()| holds(state)).map_err(rejected)
    }
}

impl<S> fmt::Debug for Event<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({})", self.name)
    }
}

/// Several updates in the making, which are stored together or not at all.
#[doc(hidden)]
#[must_use = "a batch is stored by `commit`"]
pub struct Batch<'a, S>(pub super::Writer<'a, S>, pub Vec<Event<S>>);

impl<S> fmt::Debug for Batch<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({:?})", self.1)
    }
}

/// What a reducer returns.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a reducer cannot return `{Self}`",
    label = "what a reducer returns",
    note = "it changes `self` and returns nothing, or `Result<(), String>` where it may refuse"
)]
pub trait Reduced {
    fn reduced(self) -> Result<(), String>;
}

impl Reduced for () {
    fn reduced(self) -> Result<(), String> {
        Ok(())
    }
}

impl<E: fmt::Display> Reduced for Result<(), E> {
    fn reduced(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}

/// What a feed may yield for a reducer that takes `P`: one, perhaps one, or any number.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the reducer takes `{P}`, and the feed yields `{Self}`",
    label = "a feed yields what its reducer takes",
    note = "a feed yields one of them, an `Option` or a `Vec`; a tuple where the reducer takes several arguments"
)]
pub trait Yields<P, M> {
    fn yielded(self) -> Vec<P>;
}

/// One update.
#[derive(Debug)]
pub struct YieldsOne;
/// One or none.
#[derive(Debug)]
pub struct YieldsPerhaps;
/// Any number.
#[derive(Debug)]
pub struct YieldsMany;

#[diagnostic::do_not_recommend]
impl<P> Yields<P, YieldsOne> for P {
    fn yielded(self) -> Vec<P> {
        vec![self]
    }
}

#[diagnostic::do_not_recommend]
impl<P> Yields<P, YieldsPerhaps> for Option<P> {
    fn yielded(self) -> Vec<P> {
        self.into_iter().collect()
    }
}

#[diagnostic::do_not_recommend]
impl<P> Yields<P, YieldsMany> for Vec<P> {
    fn yielded(self) -> Vec<P> {
        self
    }
}

/// The updates that a feed makes of an output.
#[doc(hidden)]
pub fn events<O, S, P, Y: Yields<P, M>, M>(
    output: &O,
    make: fn(P) -> Event<S>,
    function: impl FnOnce(&O) -> Y,
) -> Vec<Event<S>> {
    function(output).yielded().into_iter().map(make).collect()
}
