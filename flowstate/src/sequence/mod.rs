//! What both forms of a sequencer call: each method of a chain, and `ctx.step` of an async one.

mod call;
mod each;
mod flow;
mod value;
mod written;

use std::fmt;
use std::sync::Arc;

pub use call::{Call, StepIf};
pub use each::ForEach;
#[doc(hidden)]
pub use flow::{Back, BackTo, End, Like};
pub use value::{Condition, Function, TapEnd, TryFunction};
pub use written::{Run, StepOf, Steps};

use crate::scope::{Place, Scope};

/// One place in a chain: which sequencer, with which context, at which operation.
pub struct Site<'a, C> {
    scope: &'a Arc<Scope>,
    ctx: &'a C,
    place: Place,
}

impl<'a, C> Site<'a, C> {
    #[doc(hidden)]
    #[inline]
    pub fn new(scope: &'a Arc<Scope>, ctx: &'a C) -> Self {
        Self { scope, ctx, place: Place { op: 0, lane: None, pass: 0 } }
    }

    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn ctx(self) -> &'a C {
        self.ctx
    }

    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn at(self, op: u32, pass: u32) -> Self {
        Self { place: Place { op, lane: None, pass }, ..self }
    }
}

impl<C> Clone for Site<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Site<'_, C> {}

impl<C> fmt::Debug for Site<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Site({:?}, {:?})", self.scope, self.place)
    }
}
