//! What both forms of a sequencer call: each method of a chain, and `ctx.step` of an async one.

mod abort;
mod call;
mod each;
mod fit;
mod flow;
mod group;
mod pool;
mod settle;
mod side;
mod value;
mod wait;
mod written;

use std::fmt;
use std::sync::Arc;

pub use abort::{AbortSignal, Aborts};
pub use call::{Call, Of, StepIf};
pub use each::{ForEach, Many};
#[doc(hidden)]
pub use fit::{
    EndIs, FieldIs, InputIs, ItemIs, Kept, OutputIs, ReplacementIs, Several, Shared, Thrown,
};
#[doc(hidden)]
pub use flow::{Back, BackTo, End, Like};
pub use group::{Gate, PASSES, Race, list, rescued};
pub use settle::{Settled, Told};
pub use value::{Condition, Function, TapEnd, TapOwn, TryEnd, TryFunction};
pub use wait::{Waited, Waiting, Waits};
pub use written::{Branches, EachRun, Holding, Now, Once, Run, StepOf, Steps, Together};

use crate::scope::{Link, Place, Scope};
use crate::state::Cells;

/// A sequencer while its chain runs: its scope, and the context of its functions.
pub struct Seq<'a, C, X> {
    scope: &'a Arc<Scope>,
    cells: &'a X,
    ctx: &'a C,
}

impl<'a, C, X: Cells> Seq<'a, C, X> {
    #[doc(hidden)]
    #[inline]
    pub fn new(scope: &'a Arc<Scope>, cells: &'a X, ctx: &'a C) -> Self {
        Self { scope, cells, ctx }
    }

    /// One operation of the chain; `pass` counts how often loops have gone back.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn at(&'a self, op: u32, pass: u32) -> Site<'a, C, X> {
        Site { link: Link::under(self.scope, Place { op, lane: None, pass }), seq: self }
    }
}

impl<C, X> fmt::Debug for Seq<'_, C, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seq({:?})", self.scope)
    }
}

/// One operation of a chain: its methods are those of the chain.
pub struct Site<'a, C, X> {
    link: Link<'a>,
    seq: &'a Seq<'a, C, X>,
}

impl<'a, C, X: Cells> Site<'a, C, X> {
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn ctx(&self) -> &'a C {
        self.seq.ctx
    }
}

impl<C, X> fmt::Debug for Site<'_, C, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Site({:?})", self.link)
    }
}
