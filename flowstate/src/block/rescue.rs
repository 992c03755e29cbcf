//! Recovering from a failure: what a rescue block is given, and the adapter that runs it.

use std::error::Error as StdError;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Block, IntoBlock, Returns, Takes, dispatch, dispatch_in};
use crate::error::{Error, Result};
use crate::schema::{BlockDef, Head, Kind};
use crate::scope::At;
use crate::state::Cells;

/// A failure, as the input of the block that recovers from it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Rescued {
    message: String,
    code: String,
    block: Option<String>,
    path: String,
    causes: Vec<String>,
    #[serde(skip)]
    live: Option<Live>,
}

#[derive(Debug, Clone)]
struct Live(Arc<Error>);

impl Rescued {
    /// Of an error.
    #[must_use]
    pub fn new(error: Error) -> Self {
        let mut causes = Vec::new();
        let mut next = error.source().and_then(StdError::source);
        while let Some(cause) = next {
            causes.push(cause.to_string());
            next = cause.source();
        }
        Self {
            message: error.to_string(),
            code: error.code().to_owned(),
            block: error.block().map(str::to_owned),
            path: error.path().to_owned(),
            causes,
            live: Some(Live(Arc::new(error))),
        }
    }

    /// What the error says.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Its code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The block it came from.
    #[must_use]
    pub fn block(&self) -> Option<&str> {
        self.block.as_deref()
    }

    /// Where that block ran.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What its causes say, the nearest first.
    #[must_use]
    pub fn causes(&self) -> &[String] {
        &self.causes
    }

    /// The error itself or the first of its causes that is a `T`; `None` also where the error comes from a journal.
    #[must_use]
    pub fn downcast_ref<T: StdError + 'static>(&self) -> Option<&T> {
        self.live.as_ref()?.0.downcast_ref()
    }

    /// Whether the error itself or one of its causes is a `T`.
    #[must_use]
    pub fn is<T: StdError + 'static>(&self) -> bool {
        self.downcast_ref::<T>().is_some()
    }
}

impl fmt::Display for Rescued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error type that can be rescued: any standard error, or [`Error`] for all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error that can be rescued",
    label = "not an error type",
    note = "name a type that implements `std::error::Error`, or `flowstate::Error` for every failure"
)]
pub trait Rescuable: 'static {
    /// Whether every error is one.
    #[doc(hidden)]
    const EVERY: bool = false;
    /// Whether the error is one.
    fn matches(error: &Error) -> bool;
}

#[diagnostic::do_not_recommend]
impl<E: StdError + 'static> Rescuable for E {
    fn matches(error: &Error) -> bool {
        error.is::<E>()
    }
}

impl Rescuable for Error {
    const EVERY: bool = true;
    fn matches(_: &Error) -> bool {
        true
    }
}

/// Refuses a `rescue` that no failure reaches.
#[doc(hidden)]
#[track_caller]
pub const fn reached(before: bool) {
    assert!(!before, "this `rescue` is never reached: the one before it takes every failure");
}

/// Which failures are rescued.
pub trait Matcher: Clone + Send + Sync + 'static {
    /// Whether this one is.
    fn matches(&self, error: &Error) -> bool;
}

/// The failures of a type.
pub struct ByType<E> {
    // not asked of the type again: one that is no error is refused once, where it is named
    matches: fn(&Error) -> bool,
    of: PhantomData<fn() -> E>,
}

impl<E: Rescuable> Default for ByType<E> {
    fn default() -> Self {
        Self { matches: E::matches, of: PhantomData }
    }
}

impl<E> Clone for ByType<E> {
    fn clone(&self) -> Self {
        Self { matches: self.matches, of: PhantomData }
    }
}

impl<E> fmt::Debug for ByType<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByType({})", std::any::type_name::<E>())
    }
}

impl<E: 'static> Matcher for ByType<E> {
    fn matches(&self, error: &Error) -> bool {
        (self.matches)(error)
    }
}

/// The failures with a code.
#[derive(Debug, Clone)]
pub struct ByCode(pub(super) &'static str);

impl Matcher for ByCode {
    fn matches(&self, error: &Error) -> bool {
        error.code() == self.0
    }
}

/// A block with a fallback, by [`rescue`](IntoBlock::rescue).
pub struct Rescue<B: Block, M, R: Block> {
    block: B,
    matcher: M,
    fallback: R,
    // a fallback that does not fit is refused once, where it is named, and not again wherever the whole is used
    give: fn(Rescued) -> R::Input,
    take: fn(R::Output) -> B::Output,
}

impl<B: Block, M, R: Block> Rescue<B, M, R> {
    pub(super) fn new(block: B, matcher: M, fallback: R) -> Self
    where
        R: Block<Input = Rescued, Output = B::Output>,
    {
        Self { block, matcher, fallback, give: |failure| failure, take: |output| output }
    }
}

impl<B: Block, M: Clone, R: Block> Clone for Rescue<B, M, R> {
    fn clone(&self) -> Self {
        Self {
            block: self.block.clone(),
            matcher: self.matcher.clone(),
            fallback: self.fallback.clone(),
            ..*self
        }
    }
}

/// A block that can stand in for another one which returns `O`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `Rescued` and return `{O}`",
    label = "expected a block that takes `Rescued` and returns `{O}`",
    note = "the block of a `rescue` is given the failure, `Rescued`, and returns what the block it stands in for returns"
)]
pub trait StandsIn<O>: Takes<Rescued> + Returns<O> {}

#[diagnostic::do_not_recommend]
impl<O, R: Takes<Rescued> + Returns<O>> StandsIn<O> for R {}

/// [`IntoBlock::rescue`], of two blocks that have names.
#[doc(hidden)]
pub fn rescue_by<E, B, R>(block: B, fallback: R) -> Rescue<B, ByType<E>, R>
where
    E: Rescuable,
    B: Block,
    R: StandsIn<B::Output>,
{
    Rescue::new(block, ByType::<E>::default(), fallback)
}

/// [`IntoBlock::rescue_code`], of two blocks that have names.
#[doc(hidden)]
pub fn rescue_by_code<B: Block, R: StandsIn<B::Output>>(
    block: B,
    code: &'static str,
    fallback: R,
) -> Rescue<B, ByCode, R> {
    Rescue::new(block, ByCode(code), fallback)
}

#[diagnostic::do_not_recommend]
impl<B: Block, M, R: Block> fmt::Debug for Rescue<B, M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rescue({}, {})", B::HEAD.name, R::HEAD.name)
    }
}

struct Over<B, R>(PhantomData<(B, R)>);

impl<B: Block, R: Block> Over<B, R> {
    const HEAD: Head = Head { kind: Kind::Adapter, ..*B::HEAD };
    const DEF: BlockDef = BlockDef::tree(&Self::HEAD, &[B::DEF, R::DEF], &[], &[]);
}

#[diagnostic::do_not_recommend]
impl<B, M, R> IntoBlock for Rescue<B, M, R>
where
    B: Block,
    M: Matcher,
    R: Block,
{
    type Block = Self;
    type Attempt = super::Once;
    fn into_block(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<B, M, R> Block for Rescue<B, M, R>
where
    B: Block,
    M: Matcher,
    R: Block,
{
    type Input = B::Input;
    type Output = B::Output;
    const HEAD: &'static Head = B::HEAD;
    const DEF: &'static BlockDef = &Over::<B, R>::DEF;

    async fn run(&self, input: B::Input, at: At<'_>) -> Result<B::Output> {
        self.run_in::<()>(input, at, None).await
    }

    async fn run_in<'a, X: Cells>(
        &'a self,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> Result<B::Output> {
        // before it runs: a rescue further in may note that it was needed, and this run may end in an error
        at.link().note_rescue(B::HEAD, false);
        let error = match dispatch_in(&self.block, input, at, cells).await {
            Ok(output) => return Ok(output),
            Err(error) if error.is_final() || !self.matcher.matches(&error) => return Err(error),
            Err(error) => error,
        };
        let failure = (self.give)(Rescued::new(error));
        let output = dispatch(&self.fallback, failure, at).await?;
        at.link().note_rescue(B::HEAD, true);
        Ok((self.take)(output))
    }

    fn tool(&self) -> super::ToolText {
        self.block.tool()
    }

    fn shown(&self, output: &B::Output) -> Option<String> {
        self.block.shown(output)
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block, M, R: Block, V> Takes<V> for Rescue<B, M, R> where Self: Block<Input = V> {}
#[diagnostic::do_not_recommend]
impl<B: Block, M, R: Block, V> Returns<V> for Rescue<B, M, R> where Self: Block<Output = V> {}

impl crate::scope::Base<'_> {
    /// Whether the block's last run with a [`rescue`](IntoBlock::rescue) of its own in this sequencer needed it; `false`
    /// where it ran clean, or not at all. A run without one says nothing.
    #[must_use]
    pub fn was_rescued<B: IntoBlock>(&self, _: B) -> bool {
        self.rescued(B::Block::HEAD.id)
    }
}
