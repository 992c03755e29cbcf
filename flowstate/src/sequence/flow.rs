//! Where a chain goes back, and where it ends.

use super::{Seq, Site};
use crate::block::{Returns, Takes};
use crate::state::Cells;

impl<C, X: Cells> Site<'_, C, X> {
    /// Ends the sequencer with the value it has, where the condition holds: `exit_if(|value| …)`.
    #[doc(hidden)]
    #[inline]
    pub fn exit_if<V, B: Returns<V>>(&self, value: V) -> B::Output {
        value
    }

    /// Goes back to an earlier step: `loop_back(block, when = |value| …, max_iterations = n)`.
    #[doc(hidden)]
    #[inline]
    pub fn loop_back<V, B: Takes<V>>(&self, value: V, _: &B) -> V {
        value
    }
}

impl<C, X> Seq<'_, C, X> {
    /// The value that a chain ends with.
    #[doc(hidden)]
    #[inline]
    pub fn end<V, B: Returns<V>>(&self, value: V) -> B::Output {
        value
    }
}
