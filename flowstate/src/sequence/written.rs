//! `ctx.step` of an async sequencer.

use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use super::call::Call;
use crate::block::{Block, IntoBlock};
use crate::error::Result;
use crate::scope::{At, Base, Place, Scope};

/// A block that the async sequencer `Owner` runs: what the checks of `Owner` know of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step of `{Owner}`",
    label = "`{Owner}` does not declare it",
    note = "declare it: `#[block(sequencer, steps = [{Self}])]`; blocks that the body itself runs as `ctx.step({Self}, …)` need not be"
)]
pub trait StepOf<Owner> {}

/// The context of an async sequencer: it runs blocks.
pub struct Steps<'a, Owner> {
    base: Base<'a>,
    scope: &'a Arc<Scope>,
    sites: &'a [AtomicU32],
    site: Option<u32>,
    owner: std::marker::PhantomData<fn() -> Owner>,
}

impl<Owner> Clone for Steps<'_, Owner> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Owner> Copy for Steps<'_, Owner> {}

impl<Owner> fmt::Debug for Steps<'_, Owner> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.fmt(f)
    }
}

impl<'a, Owner> Deref for Steps<'a, Owner> {
    type Target = Base<'a>;
    fn deref(&self) -> &Base<'a> {
        &self.base
    }
}

impl<'a, Owner> Steps<'a, Owner> {
    #[doc(hidden)]
    #[inline]
    pub fn new(base: Base<'a>, scope: &'a Arc<Scope>, sites: &'a [AtomicU32]) -> Self {
        Self { base, scope, sites, site: None, owner: std::marker::PhantomData }
    }

    /// The same at one call of the sequencer's text, which counts how often it is made.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn at(&self, op: u32) -> Self {
        Self { site: Some(op), ..*self }
    }

    fn next(&self) -> At<'a> {
        let site = self.site.and_then(|op| Some((op, self.sites.get(op as usize)?)));
        let (op, pass) = match site {
            Some((op, count)) => (op, count.fetch_add(1, Ordering::Relaxed)),
            None => (HELPER, self.scope.count_helper_call()),
        };
        self.scope.child(Place { op, lane: None, pass })
    }

    /// Runs one of the sequencer's blocks as its child, and gives its output.
    ///
    /// What `ctx.step(…)` in the sequencer's own body becomes: there the block is known before its input is looked at.
    #[doc(hidden)]
    #[inline]
    pub fn step_of<B: Block + StepOf<Owner>>(&self, block: B, input: B::Input) -> Run<'a, B> {
        Run(State::Called(Call::new(block, input, self.next())))
    }

    /// Runs one of the sequencer's blocks as its child, and gives its output.
    ///
    /// The block is named in the body of the sequencer, or in its option `steps = […]`.
    #[inline]
    pub fn step<B>(&self, block: B, input: <B::Block as Block>::Input) -> Run<'a, B::Block>
    where
        B: IntoBlock,
        B::Block: StepOf<Owner>,
    {
        Run(State::Called(Call::new(block.into_block(), input, self.next())))
    }
}

/// The operation number of calls that helpers make.
const HELPER: u32 = u32::MAX;

/// A block that is about to run; it runs when it is awaited.
#[must_use = "a step runs when it is awaited"]
pub struct Run<'a, B: Block>(State<'a, B>);

enum State<'a, B: Block> {
    Called(Call<'a, B>),
    Running(Pin<Box<dyn Future<Output = Result<B::Output>> + Send + 'a>>),
    Taken,
}

// nothing inside is pinned in place: what runs is in a box
impl<B: Block> Unpin for Run<'_, B> {}

impl<'a, B: Block> Run<'a, B> {
    fn take(&mut self) -> Option<Call<'a, B>> {
        match std::mem::replace(&mut self.0, State::Taken) {
            State::Called(call) => Some(call),
            other => {
                self.0 = other;
                None
            }
        }
    }

    /// Runs it, without the box that awaiting it in a helper costs.
    #[doc(hidden)]
    #[inline]
    pub async fn go(self) -> Result<B::Output> {
        match self.0 {
            State::Called(call) => call.go().await,
            State::Running(run) => run.await,
            State::Taken => unreachable!("only a poll takes the call, and it puts a box in"),
        }
    }
}

impl<B: Block> Future for Run<'_, B> {
    type Output = Result<B::Output>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(call) = self.take() {
            self.0 = State::Running(Box::pin(call.go()));
        }
        match &mut self.0 {
            State::Running(run) => run.as_mut().poll(cx),
            _ => unreachable!("it was just put in a box"),
        }
    }
}

impl<B: Block> fmt::Debug for Run<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run({})", B::HEAD.name)
    }
}
