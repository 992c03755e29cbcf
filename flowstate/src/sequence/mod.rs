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
pub use value::{Condition, Function, TapEnd, TryFunction};
pub use written::{Run, StepOf, Steps};

use crate::scope::{Link, Place, Scope};

/// A sequencer while its chain runs: its scope, and the context of its functions.
pub struct Seq<'a, C> {
    scope: &'a Arc<Scope>,
    ctx: &'a C,
}

impl<'a, C> Seq<'a, C> {
    #[doc(hidden)]
    #[inline]
    pub fn new(scope: &'a Arc<Scope>, ctx: &'a C) -> Self {
        Self { scope, ctx }
    }

    /// One operation of the chain; `pass` counts how often loops have gone back.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn at(&self, op: u32, pass: u32) -> Site<'a, C> {
        let link = Link::under(self.scope, Place { op, lane: None, pass });
        Site { link, scope: self.scope, ctx: self.ctx }
    }
}

impl<C> fmt::Debug for Seq<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seq({:?})", self.scope)
    }
}

/// One operation of a chain: its methods are those of the chain.
pub struct Site<'a, C> {
    link: Link<'a>,
    scope: &'a Arc<Scope>,
    ctx: &'a C,
}

impl<'a, C> Site<'a, C> {
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn ctx(&self) -> &'a C {
        self.ctx
    }
}

impl<C> fmt::Debug for Site<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Site({:?})", self.link)
    }
}
