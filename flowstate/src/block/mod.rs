//! What a block is: a type with an input, an output, a definition and a `run`.

mod adapt;
mod again;
mod attempt;
mod json;
mod kept;
#[doc(hidden)]
pub mod known;
mod noted;
mod rescue;
mod tool;

use std::any::Any;
use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use pin_project_lite::pin_project;

pub use adapt::{ConnectInput, ConnectOutput};
pub use again::{Again, again};
#[doc(hidden)]
pub use attempt::{AsSaid, Attempt, Attempts, IsTimeout, Once, Says};
pub(crate) use json::{from_json, to_json};
#[doc(hidden)]
pub use kept::{AsksFor, KeepsOutput, kept};
#[doc(hidden)]
pub use noted::{Noted, noted};
pub use rescue::{ByCode, ByType, Matcher, Rescuable, Rescue, Rescued};
#[doc(hidden)]
pub use rescue::{StandsIn, reached, rescue_by, rescue_by_code};

pub use tool::{AsTool, MapModelOutput, ToolText};
#[doc(hidden)]
pub use tool::{Caching, KeyOf, cache_key};

use crate::error::{BoxError, Error, PanicError, Result};
use crate::schema::{BlockDef, Head};
pub use crate::scope::At;
use crate::scope::{Base, Link};
use crate::state::{Cells, Data};
pub use flowstate_macros::AsBlock;

/// A step of a workflow: takes an input, gives an output, and says in its [`HEAD`](Block::HEAD) what state it uses.
///
/// `#[block]` on a function makes one. By hand:
///
/// ```
/// use flowstate::prelude::*;
/// use flowstate::block::{AsBlock, At, Block};
/// use flowstate::schema::{Head, Kind};
///
/// /// Makes a text longer.
/// #[derive(Debug, Clone, Copy, Default, AsBlock)]
/// pub struct Repeat;
///
/// impl Block for Repeat {
///     type Input = String;
///     type Output = String;
///     const HEAD: &'static Head = &Head::new("repeat", Kind::Handler);
///
///     async fn run(&self, input: String, _: At<'_>) -> Result<String> {
///         Ok(input.repeat(2))
///     }
/// }
///
/// #[block(sequencer)]
/// fn twice(input: String) -> String {
///     input.step(Repeat).step(Repeat)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// assert_eq!(flowstate::run(twice, "a".to_string()).await?, "aaaa");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a block",
    label = "not a block",
    note = "put `#[block(…)]` on the function, and name it without arguments",
    note = "a function that is given a block takes `impl IntoBlock<Block: Block<Input = …, Output = …>>`"
)]
pub trait Block: IntoBlock<Block = Self> + Clone + Send + Sync {
    /// What it takes.
    type Input: Data;
    /// What it gives.
    type Output: Data;
    /// What it says of itself.
    const HEAD: &'static Head;
    /// The block and all that it runs; without children it need not be written.
    const DEF: &'static BlockDef = &BlockDef::leaf(Self::HEAD);

    /// Runs it once.
    fn run<'a>(
        &'a self,
        input: Self::Input,
        at: At<'a>,
    ) -> impl Future<Output = Result<Self::Output>> + Send;

    /// As [`run`](Block::run), under a sequencer whose containers are at hand with their type, so that finding a state
    /// costs nothing. Written by the macro.
    #[doc(hidden)]
    #[inline]
    fn run_in<'a, X: Cells>(
        &'a self,
        input: Self::Input,
        at: At<'a>,
        _: Option<&'a X>,
    ) -> impl Future<Output = Result<Self::Output>> + Send {
        self.run(input, at)
    }

    /// What a model is told of it as a tool, where that is not its name and its description.
    #[doc(hidden)]
    fn tool(&self) -> ToolText {
        ToolText::default()
    }

    /// Whether and how its outputs are kept where it is a tool.
    #[doc(hidden)]
    fn caching(&self) -> Option<Caching<Self::Input>> {
        None
    }

    /// What a model is shown of its output, where that is not the output as JSON.
    #[doc(hidden)]
    fn shown(&self, _: &Self::Output) -> Option<String> {
        None
    }
}

/// A block's input, by which a step that does not fit is explained; each block has exactly one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `{V}`",
    label = "the value at this step is `{V}`",
    note = "put a `map` before it (`try_map` where that may fail), or a connector first: `(|value| …, {Self})`"
)]
pub trait Takes<V>: Block<Input = V> {}

/// A block's output, by which a value that does not fit is explained; each block has exactly one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not return `{V}`",
    label = "the value here is `{V}`",
    note = "a sequencer returns the value its chain ends with; a step that may be skipped or repeated returns what it takes"
)]
pub trait Returns<V>: Block<Output = V> {}

/// A block that returns what it takes, by which a step that may be left out is explained.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take and return `{V}`",
    label = "the value at this step is `{V}`",
    note = "a step that may be left out returns what it takes, for the value goes on without it"
)]
pub trait Keeps<V>: Takes<V> + Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<V> + Returns<V>> Keeps<V> for B {}

/// A block that may be left out and has a connector, by which one that does not fit is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not return `{V}`",
    label = "the value at this step is `{V}`",
    note = "a step that may be left out returns what the value is, for it goes on without it; `{Self}.connect_output(|output| …)` changes what it returns"
)]
pub trait Replaces<V>: Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Returns<V>> Replaces<V> for B {}

/// A block that is repeated, by which one that does not fit is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take and return `{V}`",
    label = "the value at this step is `{V}`",
    note = "a block that is repeated returns what it takes, for it is given its own output"
)]
pub trait Repeats<V>: Takes<V> + Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<V> + Returns<V>> Repeats<V> for B {}

/// A block beside others, by which an output that is not theirs is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not return `{V}`, as the blocks beside it do",
    label = "the others return `{V}`",
    note = "one value goes on, so all of them return one type; `{Self}.connect_output(|output| …)` changes what it returns"
)]
pub trait Agrees<V>: Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Returns<V>> Agrees<V> for B {}

/// The block of a `rescue` that ends a chain, by which one that does not fit is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `Rescued` and return `{V}`",
    label = "the sequencer returns `{V}`",
    note = "the block of a `rescue` is given the failure, `Rescued`, and its output is what the sequencer returns"
)]
pub trait Ends<V>: Takes<Rescued> + Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<Rescued> + Returns<V>> Ends<V> for B {}

/// What can stand where a block is wanted: a block's name, or a value made of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a block",
    label = "not a block",
    note = "a block is a function with `#[block(…)]`, named without arguments, or a type with `impl Block` and `#[derive(AsBlock)]`"
)]
pub trait IntoBlock: Sized + 'static {
    /// The block.
    type Block: Block;
    /// How often and how long it is tried.
    #[doc(hidden)]
    type Attempt: Attempt;
    /// The block.
    fn into_block(self) -> Self::Block;

    /// The same block, with its input made by a function of another value.
    ///
    /// ```
    /// use flowstate::prelude::*;
    /// # #[block(handler)]
    /// # async fn double(n: i64) -> Result<i64> { Ok(n * 2) }
    /// #[block(sequencer)]
    /// fn length_twice(input: String) -> i64 {
    ///     input.step(double.connect_input(|text: String| text.len() as i64))
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// assert_eq!(flowstate::run(length_twice, "four".to_string()).await?, 8);
    /// # Ok(())
    /// # }
    /// ```
    fn connect_input<I, F>(self, function: F) -> ConnectInput<Self::Block, F, I>
    where
        I: Data,
        F: Fn(I) -> <Self::Block as Block>::Input + Clone + Send + Sync + 'static,
    {
        ConnectInput::new(self.into_block(), function)
    }

    /// The same block, with its output changed by a function.
    fn connect_output<O, F>(self, function: F) -> ConnectOutput<Self::Block, F, O>
    where
        O: Data,
        F: Fn(<Self::Block as Block>::Output) -> O + Clone + Send + Sync + 'static,
    {
        ConnectOutput::new(self.into_block(), function)
    }

    /// The same block; as a tool it has this name and description. Elsewhere it changes nothing.
    ///
    /// `tools = [search.as_tool("find_papers", "Finds papers by their title.")]`
    #[expect(clippy::wrong_self_convention, reason = "a block is a value that is put into a list")]
    fn as_tool(self, name: &'static str, description: &'static str) -> AsTool<Self::Block> {
        AsTool::new(self.into_block(), name, description)
    }

    /// The same block; as a tool it shows the model this text of its output, while items and callers get the output itself.
    /// Elsewhere it changes nothing.
    ///
    /// `tools = [search.map_model_output(|found| format!("{} papers", found.len()))]`
    fn map_model_output<F>(self, function: F) -> MapModelOutput<Self::Block, F>
    where
        F: Fn(&<Self::Block as Block>::Output) -> String + Clone + Send + Sync + 'static,
    {
        MapModelOutput::new(self.into_block(), function)
    }

    /// The same block; where it fails with an `E`, another block's output takes the place of its own. `rescue::<Error>`
    /// takes every failure. A suspension or a cancellation is none.
    ///
    /// ```
    /// use flowstate::prelude::*;
    ///
    /// #[block(handler)]
    /// async fn number(text: String) -> Result<i64> {
    ///     Ok(text.parse::<i64>()?)
    /// }
    ///
    /// #[block(handler)]
    /// async fn zero(_: Rescued) -> Result<i64> {
    ///     Ok(0)
    /// }
    ///
    /// #[block(sequencer)]
    /// fn lenient(input: String) -> i64 {
    ///     input.step(number.rescue::<std::num::ParseIntError>(zero))
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// assert_eq!(flowstate::run(lenient, "seven".to_string()).await?, 0);
    /// # Ok(())
    /// # }
    /// ```
    fn rescue<E: Rescuable>(
        self,
        fallback: impl IntoBlock<Block: Block<Input = Rescued, Output = <Self::Block as Block>::Output>>,
    ) -> Rescue<
        Self::Block,
        ByType<E>,
        impl Block<Input = Rescued, Output = <Self::Block as Block>::Output>,
    > {
        Rescue::new(self.into_block(), ByType::<E>::default(), fallback.into_block())
    }

    /// As [`rescue`](IntoBlock::rescue), for the failures with this code.
    fn rescue_code(
        self,
        code: &'static str,
        fallback: impl IntoBlock<Block: Block<Input = Rescued, Output = <Self::Block as Block>::Output>>,
    ) -> Rescue<
        Self::Block,
        ByCode,
        impl Block<Input = Rescued, Output = <Self::Block as Block>::Output>,
    > {
        Rescue::new(self.into_block(), ByCode(code), fallback.into_block())
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block, F: FnOnce() -> B + 'static> IntoBlock for F {
    type Block = B;
    type Attempt = B::Attempt;
    #[inline]
    fn into_block(self) -> B {
        self()
    }
}

/// A block or a capability, with a context type of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no context",
    label = "made without a `ctx`",
    note = "a block has one where its function takes it, `ctx: Ctx`, and a capability where it has functions that do"
)]
pub trait WithCtx {
    /// The context.
    type Ctx<'a>;
}

/// The context of a block or a capability, for helpers: `ctx: &Ctx<'_, triage>`.
pub type Ctx<'a, B> = <B as WithCtx>::Ctx<'a>;

/// A block that its name alone makes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made by its name alone",
    label = "named without a configuration",
    note = "a block with `#[config]` is named with its arguments, `{Self}(…)`",
    note = "a block that is written by hand derives `Default`"
)]
pub trait ByName {
    /// The block.
    fn by_name() -> Self;
}

#[diagnostic::do_not_recommend]
impl<B: Default> ByName for B {
    #[inline]
    fn by_name() -> Self {
        B::default()
    }
}

/// What a block's function returns.
#[diagnostic::on_unimplemented(
    message = "a block returns `Result<…>`, not `{Self}`",
    label = "this is not a `Result`",
    note = "write `Result<{Self}>`, and `Ok(…)` round the value"
)]
pub trait BlockResult {
    /// The value.
    type Ok;
    /// With the error as [`Error`].
    ///
    /// # Errors
    /// The function's own.
    fn into_result(self) -> Result<Self::Ok>;
}

impl<T, E: Into<BoxError> + 'static> BlockResult for Result<T, E> {
    type Ok = T;
    #[inline]
    fn into_result(self) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(convert(error)),
        }
    }
}

#[cold]
pub(crate) fn convert<E: Into<BoxError> + 'static>(error: E) -> Error {
    // an `Error` stays what it is, without the detour through a box
    let mut slot = Some(error);
    if let Some(known) = (&mut slot as &mut dyn std::any::Any).downcast_mut::<Option<Error>>()
        && let Some(error) = known.take()
    {
        return error;
    }
    #[cfg(feature = "anyhow")]
    if let Some(known) =
        (&mut slot as &mut dyn std::any::Any).downcast_mut::<Option<anyhow::Error>>()
        && let Some(error) = known.take()
    {
        // (not by `?`: `From<anyhow::Error>` would overlap with the one for all standard errors)
        return Error::from_box(error.reallocate_into_boxed_dyn_error_without_backtrace());
    }
    match slot {
        Some(error) => Error::from_box(error.into()),
        None => unreachable!("only taken where it is returned"),
    }
}

/// Runs a block, with its panic as an error and its name in every error.
#[inline]
pub(crate) fn dispatch<'a, B: Block>(
    block: &'a B,
    input: B::Input,
    at: At<'a>,
) -> impl Future<Output = Result<B::Output>> + Send {
    dispatch_in(block, input, at, None::<&()>)
}

/// As [`dispatch`], under a sequencer whose containers are at hand.
#[inline]
pub(crate) fn dispatch_in<'a, B: Block, X: Cells>(
    block: &'a B,
    input: B::Input,
    at: At<'a>,
    cells: Option<&'a X>,
) -> impl Future<Output = Result<B::Output>> + Send {
    // the look at the subscriber is a tenth of a step, so it is there for those who ask for it
    #[cfg(feature = "spans")]
    if tracing::level_enabled!(tracing::Level::INFO) {
        return futures_util::future::Either::Right(traced(block, input, at, cells));
    }
    let run = Dispatch::of(block, input, at, cells);
    #[cfg(feature = "spans")]
    let run = futures_util::future::Either::Left(run);
    run
}

/// The same in a span of its own; in a box, so that nobody else pays for it.
#[cfg(feature = "spans")]
#[cold]
fn traced<'a, B: Block, X: Cells>(
    block: &'a B,
    input: B::Input,
    at: At<'a>,
    cells: Option<&'a X>,
) -> Pin<Box<dyn Future<Output = Result<B::Output>> + Send + 'a>> {
    let (name, kind, path) = (B::HEAD.name, B::HEAD.kind.word(), at.link().path(B::HEAD));
    let empty = tracing::field::Empty;
    let span = tracing::info_span!("block", name, kind, path, outcome = empty);
    Box::pin(async move {
        let run = Dispatch::of(block, input, at, cells);
        let done = tracing::Instrument::instrument(run, span.clone()).await;
        let outcome = done.as_ref().map_or_else(Error::code, |_| "completed");
        // on the span itself: not every subscriber knows which one is current
        span.record("outcome", outcome);
        done
    })
}

pin_project! {
    /// A block while it runs.
    struct Dispatch<'a, B, F> {
        #[pin]
        run: F,
        at: At<'a>,
        of: PhantomData<fn() -> B>,
    }
}

impl<'a, B: Block> Dispatch<'a, B, ()> {
    #[inline]
    #[expect(clippy::type_complexity, reason = "a future that has no name")]
    fn of<X: Cells>(
        block: &'a B,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> Dispatch<
        'a,
        B,
        impl Future<Output = Result<Result<B::Output>, Box<dyn Any + Send>>> + Send + use<'a, B, X>,
    > {
        let run = AssertUnwindSafe(B::Attempt::attempt(block, input, at, cells)).catch_unwind();
        Dispatch { run, at, of: PhantomData }
    }
}

impl<T, B, F> Future for Dispatch<'_, B, F>
where
    B: Block,
    F: Future<Output = Result<Result<T>, Box<dyn Any + Send>>>,
{
    type Output = Result<T>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let this = self.project();
        this.run.poll(cx).map(|done| match done {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(error)) => Err(this.at.link().name(B::HEAD, error)),
            Err(panic) => Err(this.at.link().name(B::HEAD, PanicError::of(panic).into())),
        })
    }
}

pin_project! {
    /// A block's function while it runs, or why it could not start.
    #[doc(hidden)]
    #[project = CalledProject]
    #[derive(Debug)]
    pub enum Called<F> {
        Running { #[pin] run: F },
        Failed { error: Option<BoxError> },
    }
}

impl<F: Future<Output: BlockResult>> Called<F> {
    /// The function, with all that it needs.
    #[inline]
    pub fn running(run: F) -> Self {
        Self::Running { run }
    }

    /// Without what it needs.
    #[cold]
    pub fn failed(error: Error) -> Self {
        Self::Failed { error: Some(error.into()) }
    }
}

impl<F: Future<Output: BlockResult>> Future for Called<F> {
    type Output = Result<<F::Output as BlockResult>::Ok>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            CalledProject::Running { run } => run.poll(cx).map(BlockResult::into_result),
            CalledProject::Failed { error } => {
                error.take().map_or(Poll::Pending, |error| Poll::Ready(Err(Error::from_box(error))))
            }
        }
    }
}

/// A block's future in a box, so that its type does not hold those of what it runs.
#[doc(hidden)]
#[inline]
pub fn boxed<'a, T>(
    run: impl Future<Output = T> + Send + 'a,
) -> Pin<Box<dyn Future<Output = T> + Send + 'a>> {
    Box::pin(run)
}

/// A sequencer's future: in a box where those that it holds by their types are enough, so that they nest to any depth.
#[doc(hidden)]
#[inline]
pub fn held<'a, const BOXED: bool, F>(run: F) -> <Boxed<BOXED> as Holds<'a, F>>::Held
where
    F: Future + Send + 'a,
    Boxed<BOXED>: Holds<'a, F>,
{
    Boxed::hold(run)
}

/// Whether a future is held in a box.
#[doc(hidden)]
#[derive(Debug)]
pub struct Boxed<const BOXED: bool>;

#[doc(hidden)]
pub trait Holds<'a, F: Future> {
    type Held: Future<Output = F::Output> + Send;
    fn hold(run: F) -> Self::Held;
}

impl<'a, F: Future + Send + 'a> Holds<'a, F> for Boxed<false> {
    type Held = F;
    #[inline]
    fn hold(run: F) -> F {
        run
    }
}

impl<'a, F: Future + Send + 'a> Holds<'a, F> for Boxed<true> {
    type Held = Pin<Box<dyn Future<Output = F::Output> + Send + 'a>>;
    #[inline]
    fn hold(run: F) -> Self::Held {
        Box::pin(run)
    }
}

/// What the context of a block stands on, under the link that it runs at.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn base<'a, B: Block>(link: &'a Link<'a>) -> Base<'a> {
    link.base(|| B::HEAD)
}

/// As [`base`], of a block that has no scope of its own.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn base_at<B: Block>(at: At<'_>) -> Base<'_> {
    at.base(|| B::HEAD)
}

/// The definition of the block that an expression makes; the expression is not evaluated.
#[doc(hidden)]
pub const fn def_of<B: IntoBlock, F: Fn() -> B>(_: &F) -> &'static BlockDef {
    <B::Block as Block>::DEF
}
