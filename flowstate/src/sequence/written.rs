//! `ctx.step` of an async sequencer.

use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use super::each::{CONCURRENCY, Many, each};
use super::fit::ItemIs;
use super::pool::Items;
use crate::block::{
    AsksFor, Block, ConnectInput, ConnectOutput, IntoBlock, KeepsOutput, Noted, Rescue, Takes,
    dispatch, dispatch_in, kept,
};
use crate::error::Result;
use crate::scope::{At, Base, Link, Place, Scope};
use crate::state::Cells;

/// A block that the async sequencer `Owner` runs: what the checks of `Owner` know of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step of `{Owner}`",
    label = "`{Owner}` does not declare it",
    note = "declare it: `#[block(sequencer, steps = [{Self}])]`; blocks that the body itself runs as `ctx.step({Self}, …)` need not be"
)]
pub trait StepOf<Owner> {}

// an adapter is a step where the block inside is one
#[diagnostic::do_not_recommend]
impl<Owner, B: StepOf<Owner>, F, I> StepOf<Owner> for ConnectInput<B, F, I> {}
#[diagnostic::do_not_recommend]
impl<Owner, B: StepOf<Owner>, F, O> StepOf<Owner> for ConnectOutput<B, F, O> {}
#[diagnostic::do_not_recommend]
impl<Owner, B: Block + StepOf<Owner>, M, R: Block + StepOf<Owner>> StepOf<Owner>
    for Rescue<B, M, R>
{
}

#[diagnostic::do_not_recommend]
impl<Owner, B: StepOf<Owner>> StepOf<Owner> for KeepsOutput<B> {}
// the macro has seen the expression that makes it, and made it a child
#[diagnostic::do_not_recommend]
impl<Owner, B> StepOf<Owner> for Noted<B> {}

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

    /// The same at a call that is awaited where it stands.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn at_once(&self, op: u32) -> Now<'a, Owner, ()> {
        Now { link: self.next_at(Some(op)), cells: None, owner: std::marker::PhantomData }
    }

    pub(super) fn scope(&self) -> &'a Arc<Scope> {
        self.scope
    }

    pub(super) fn next(&self) -> Link<'a> {
        self.next_at(self.site)
    }

    #[inline]
    fn next_at(&self, site: Option<u32>) -> Link<'a> {
        let site = site.and_then(|op| Some((op, self.sites.get(op as usize)?)));
        let (op, pass) = match site {
            // (the body runs on one thread at a time, so no count is lost, and a locked addition costs as much as a step)
            Some((op, count)) => {
                let pass = count.load(Ordering::Relaxed);
                count.store(pass.wrapping_add(1), Ordering::Relaxed);
                (op, pass)
            }
            None => (HELPER, self.scope.count_helper_call()),
        };
        Link::under(self.scope, Place { op, lane: None, pass })
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
        Run(State::Called(Called { block: block.into_block(), input, link: self.next() }))
    }

    /// Runs one of the sequencer's blocks for each item, several at once; gives the outputs in order.
    ///
    /// The first error ends it. At most 64 run at once, or as
    /// [`max_concurrency`](EachRun::max_concurrency) says.
    pub fn for_each<B, V>(&self, block: B, items: V) -> EachRun<'a, B::Block>
    where
        B: IntoBlock,
        B::Block: StepOf<Owner>,
        V: Many,
        V::Item: ItemIs<<B::Block as Block>::Input> + 'static,
    {
        let items: Items<_> = Box::new(items.items().map(ItemIs::item));
        let (block, limit) = (block.into_block(), CONCURRENCY);
        EachRun { block, items, scope: self.scope, place: self.next().place(), limit }
    }

    /// What a block returned when the sequencer last ran it, as [`Base::output_of`] says. What a helper runs is not kept.
    #[must_use]
    pub fn output_of<B: IntoBlock>(&self, _: B) -> Option<<B::Block as Block>::Output>
    where
        B::Block: AsksFor<Owner>,
    {
        kept::<B::Block>(&self.base)
    }

    /// Runs several of the sequencer's blocks side by side with one value: `ctx.parallel((a, b), value).await?` gives a
    /// tuple of their outputs.
    ///
    /// The first error ends it. For blocks with different inputs there is `tokio::try_join!(ctx.step(…), ctx.step(…))`.
    pub fn parallel<V, B: Branches<Owner, V>>(&self, blocks: B, value: V) -> Together<'a, B::Output>
    where
        V: Clone + Send + 'a,
    {
        let (scope, place) = (self.scope, self.next().place());
        Together(blocks.start(value, scope, place))
    }
}

/// The same beside the sequencer's own containers, whose type the context does not show: it may be private.
#[doc(hidden)]
#[derive(Debug)]
pub struct Holding<'a, Owner, X> {
    pub steps: Steps<'a, Owner>,
    cells: &'a X,
}

impl<'a, Owner, X: Cells> Holding<'a, Owner, X> {
    #[inline]
    pub fn new(steps: Steps<'a, Owner>, cells: &'a X) -> Self {
        Self { steps, cells }
    }

    #[inline]
    #[must_use]
    pub fn at_once(&self, op: u32) -> Now<'a, Owner, X> {
        Now {
            cells: Some(self.cells),
            link: self.steps.next_at(Some(op)),
            owner: std::marker::PhantomData,
        }
    }
}

/// One call of an async sequencer that is awaited where it stands: nothing is boxed, and nothing is moved on the way.
pub struct Now<'a, Owner, X> {
    link: Link<'a>,
    cells: Option<&'a X>,
    owner: std::marker::PhantomData<fn() -> Owner>,
}

impl<Owner, X> fmt::Debug for Now<'_, Owner, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.link.fmt(f)
    }
}

impl<'a, Owner, X: Cells> Now<'a, Owner, X> {
    /// Runs one of the sequencer's blocks as its child, and gives its output.
    ///
    /// The block is named in the body of the sequencer, or in its option `steps = […]`.
    #[inline]
    pub fn step<B>(&self, block: B, input: <B::Block as Block>::Input) -> Once<'_, X, B::Block>
    where
        B: IntoBlock,
        B::Block: StepOf<Owner>,
    {
        let (link, cells) = (&self.link, self.cells);
        Once { block: block.into_block(), input: Some(input), link, cells }
    }
}

/// A block that is about to run where it is awaited. Its type says nothing of steps, so one that is none is one error.
pub struct Once<'a, X, B: Block> {
    block: B,
    input: Option<B::Input>,
    link: &'a Link<'a>,
    cells: Option<&'a X>,
}

impl<X: Cells, B: Block> Once<'_, X, B> {
    #[doc(hidden)]
    #[inline]
    pub fn go(&mut self) -> impl Future<Output = Result<B::Output>> + Send {
        let Some(input) = self.input.take() else { unreachable!("it is run where it is made") };
        dispatch_in(&self.block, input, At::new(self.link), self.cells)
    }
}

impl<X, B: Block> fmt::Debug for Once<'_, X, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Once({})", B::HEAD.name)
    }
}

/// Several blocks that can run side by side with one value: a tuple of up to eight.
#[diagnostic::on_unimplemented(
    message = "`ctx.parallel` takes a tuple of blocks that take `{V}`",
    label = "not a tuple of blocks that take `{V}`"
)]
pub trait Branches<Owner, V> {
    /// The tuple of their outputs.
    type Output;
    /// All of them, started.
    #[doc(hidden)]
    fn start<'a>(self, value: V, scope: &'a Arc<Scope>, place: Place) -> Boxed<'a, Self::Output>
    where
        V: 'a;
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Blocks that are about to run side by side; they run when this is awaited.
#[must_use = "blocks run when they are awaited"]
pub struct Together<'a, T>(Boxed<'a, T>);

impl<T> Future for Together<'_, T> {
    type Output = Result<T>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for Together<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Together").finish_non_exhaustive()
    }
}

async fn branch<B: Block>(
    block: B,
    input: B::Input,
    scope: &Arc<Scope>,
    place: Place,
    lane: u32,
) -> Result<B::Output> {
    let link = Link::under(scope, Place { lane: Some(lane), ..place });
    dispatch(&block, input, At::new(&link)).await
}

macro_rules! branches {
    ($($block:ident $lane:literal),+) => {
        impl<Owner, V, $($block),+> Branches<Owner, V> for ($($block,)+)
        where
            V: Clone + Send,
            $($block: IntoBlock, $block::Block: StepOf<Owner> + Takes<V>,)+
        {
            type Output = ($(<$block::Block as Block>::Output,)+);
            #[allow(non_snake_case)]
            fn start<'a>(self, value: V, scope: &'a Arc<Scope>, place: Place) -> Boxed<'a, Self::Output>
            where
                V: 'a,
            {
                let ($($block,)+) = self;
                $(let $block = branch($block.into_block(), value.clone(), scope, place, $lane);)+
                Box::pin(async move { tokio::try_join!($($block),+) })
            }
        }
    };
}
branches!(A 0);
branches!(A 0, B 1);
branches!(A 0, B 1, C 2);
branches!(A 0, B 1, C 2, D 3);
branches!(A 0, B 1, C 2, D 3, E 4);
branches!(A 0, B 1, C 2, D 3, E 4, F 5);
branches!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
branches!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// A block that is about to run for each item; it runs when it is awaited.
#[must_use = "blocks run when they are awaited"]
pub struct EachRun<'a, B: Block> {
    block: B,
    items: Items<B::Input>,
    scope: &'a Arc<Scope>,
    place: Place,
    limit: usize,
}

impl<B: Block> EachRun<'_, B> {
    /// At most so many at once, and at least one.
    pub fn max_concurrency(mut self, limit: usize) -> Self {
        self.limit = limit.max(1);
        self
    }

    async fn go(self) -> Result<Vec<B::Output>> {
        let Self { block, items, scope, place, limit } = self;
        each(&block, items, scope, None::<&()>, place, limit).await
    }
}

#[diagnostic::do_not_recommend]
impl<'a, B: Block> IntoFuture for EachRun<'a, B> {
    type Output = Result<Vec<B::Output>>;
    type IntoFuture = Boxed<'a, Vec<B::Output>>;
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.go())
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block> fmt::Debug for EachRun<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EachRun({})", B::HEAD.name)
    }
}

/// The operation number of calls that helpers make.
const HELPER: u32 = u32::MAX;

/// A block that is about to run; it runs when it is awaited.
#[must_use = "a step runs when it is awaited"]
pub struct Run<'a, B: Block>(State<'a, B>);

struct Called<'a, B: Block> {
    block: B,
    input: B::Input,
    link: Link<'a>,
}

impl<B: Block> Called<'_, B> {
    #[inline]
    async fn go(self) -> Result<B::Output> {
        dispatch(&self.block, self.input, At::new(&self.link)).await
    }
}

enum State<'a, B: Block> {
    Called(Called<'a, B>),
    Running(Boxed<'a, B::Output>),
    Taken,
}

// nothing inside is pinned in place: what runs is in a box
#[diagnostic::do_not_recommend]
impl<B: Block> Unpin for Run<'_, B> {}

impl<'a, B: Block> Run<'a, B> {
    fn take(&mut self) -> Option<Called<'a, B>> {
        match std::mem::replace(&mut self.0, State::Taken) {
            State::Called(call) => Some(call),
            other => {
                self.0 = other;
                None
            }
        }
    }
}

#[diagnostic::do_not_recommend]
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

#[diagnostic::do_not_recommend]
impl<B: Block> fmt::Debug for Run<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run({})", B::HEAD.name)
    }
}
