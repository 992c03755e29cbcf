//! Where a chain goes back, and where it ends.

use std::marker::PhantomData;

use super::{Seq, Site};
use crate::block::{Returns, Takes};
use crate::state::Cells;

impl<C, X: Cells> Site<'_, C, X> {
    /// Ends the sequencer with the value it has, where the condition holds: `exit_if(|value| …)`.
    #[doc(hidden)]
    #[inline]
    pub fn exit_if<V>(&self, value: V) -> End<V> {
        End(value)
    }

    /// Goes back to an earlier step: `loop_back(block, when = |value| …, max_iterations = n)`.
    #[doc(hidden)]
    #[inline]
    pub fn loop_back<V>(&self, value: V) -> Back<V> {
        Back(value)
    }
}

impl<C, X> Seq<'_, C, X> {
    /// The type of a value.
    #[doc(hidden)]
    #[inline]
    pub fn like<V>(&self, _: &V) -> Like<V> {
        Like(PhantomData)
    }

    /// The value that a chain ends with.
    #[doc(hidden)]
    #[inline]
    pub fn end<V>(&self, value: V) -> End<V> {
        End(value)
    }
}

/// A value that ends a sequencer. It has its type before it meets the sequencer's: so a wrong one is explained.
#[doc(hidden)]
#[derive(Debug)]
pub struct End<V>(V);

impl<V> End<V> {
    /// The value, as the output of the sequencer `B`.
    #[inline]
    pub fn of<B: Returns<V>>(self) -> B::Output {
        self.0
    }
}

/// A value that goes back to an earlier step.
#[doc(hidden)]
#[derive(Debug)]
pub struct Back<V>(V);

impl<V> Back<V> {
    /// As the input of the step.
    #[inline]
    pub fn to<B: Takes<V>>(self, _: B) -> B::Input {
        self.0
    }
}

/// The type that a value had.
#[doc(hidden)]
#[derive(Debug)]
pub struct Like<V>(PhantomData<fn() -> V>);

// (derived, it would be so only for values that are `Copy`; a loop uses it at each turn)
impl<V> Clone for Like<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Like<V> {}

impl<V> Like<V> {
    /// The type, where it is known: explicit arguments of a method would move what is said about the others.
    pub const TYPE: Self = Self(PhantomData);

    /// The value that goes back, as the one that was there at first.
    #[inline]
    pub fn with<W: BackTo<V>>(self, back: Back<W>) -> V {
        back.0.back()
    }
}

/// A value of the type that stood before an earlier step.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the loop goes back with `{Self}` to where the value was `{V}`",
    label = "here the value is `{Self}`",
    note = "a loop goes back with a value of the type that it began with: put a `map` before it"
)]
pub trait BackTo<V> {
    /// The value.
    fn back(self) -> V;
}

impl<V> BackTo<V> for V {
    #[inline]
    fn back(self) -> V {
        self
    }
}
