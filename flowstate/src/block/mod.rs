//! What a block is: a type with an input, an output, a definition and a `run`.

use futures_util::FutureExt as _;

use crate::error::{BoxError, Error, PanicError, Result};
use crate::schema::{BlockDef, Head};
pub use crate::scope::At;
use crate::state::Data;

/// A step of a workflow: takes an input, gives an output, and says in its [`HEAD`](Block::HEAD) what state it uses.
///
/// `#[block]` on a function makes one. By hand:
///
/// ```
/// use flowstate::prelude::*;
/// use flowstate::block::{At, Block, Returns, Takes};
/// use flowstate::schema::{Head, Kind};
///
/// /// Makes a text longer.
/// #[derive(Debug, Clone, Copy, Default)]
/// #[allow(non_camel_case_types)]
/// pub struct repeat {}
/// pub const fn repeat() -> repeat { repeat {} }
///
/// impl Block for repeat {
///     type Input = String;
///     type Output = String;
///     const HEAD: &'static Head = &Head::new("repeat", Kind::Handler);
///
///     async fn run(&self, input: String, _: At<'_>) -> Result<String> {
///         Ok(input.repeat(2))
///     }
/// }
/// impl Takes<String> for repeat {}
/// impl Returns<String> for repeat {}
///
/// #[block(sequencer)]
/// fn twice(input: String) -> String {
///     input.step(repeat).step(repeat)
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
    note = "put `#[block(…)]` on the function"
)]
pub trait Block: Send + Sync + 'static {
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
}

/// A block's input, by which a step that does not fit is explained; each block has exactly one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `{V}`",
    label = "the value at this step is `{V}`",
    note = "put a `map` before it, or a connector first: `(|value| …, {Self})`"
)]
pub trait Takes<V>: Block<Input = V> {}

/// A block's output, by which a value that does not fit is explained; each block has exactly one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not return `{V}`",
    label = "the value here is `{V}`",
    note = "a sequencer returns the value its chain ends with; a step that may be skipped or repeated returns what it takes"
)]
pub trait Returns<V>: Block<Output = V> {}

/// What can stand where a block is wanted: a block's name, or a value made of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a block",
    label = "not a block",
    note = "a block is a function with `#[block(…)]`, named without arguments"
)]
pub trait IntoBlock: Sized + 'static {
    /// The block.
    type Block: Block;
    /// The block.
    fn into_block(self) -> Self::Block;
}

#[diagnostic::do_not_recommend]
impl<B: Block, F: FnOnce() -> B + 'static> IntoBlock for F {
    type Block = B;
    #[inline]
    fn into_block(self) -> B {
        self()
    }
}

/// A block that was made by `#[block]`, with a context type of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no context",
    label = "not a block made by `#[block]`"
)]
pub trait WithCtx: Block {
    /// The context.
    type Ctx<'a>;
}

/// The context of a block, for helpers: `ctx: &Ctx<'_, triage>`.
pub type Ctx<'a, B> = <B as WithCtx>::Ctx<'a>;

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
fn convert<E: Into<BoxError> + 'static>(error: E) -> Error {
    // an `Error` stays what it is, without the detour through a box
    let mut slot = Some(error);
    if let Some(known) = (&mut slot as &mut dyn std::any::Any).downcast_mut::<Option<Error>>()
        && let Some(error) = known.take()
    {
        return error;
    }
    #[cfg(feature = "anyhow")]
    if let Some(known) = (&mut slot as &mut dyn std::any::Any).downcast_mut::<Option<anyhow::Error>>()
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
pub(crate) async fn dispatch<B: Block>(block: &B, input: B::Input, at: At<'_>) -> Result<B::Output> {
    let run = std::panic::AssertUnwindSafe(async { block.run(input, at).await });
    match run.catch_unwind().await {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(at.name(B::HEAD, error)),
        Err(panic) => Err(at.name(B::HEAD, PanicError::new(&*panic).into())),
    }
}


/// A sequencer's future, so that its type does not hold those of its steps.
#[doc(hidden)]
#[inline]
pub fn boxed<'a, T>(
    run: impl Future<Output = T> + Send + 'a,
) -> std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>> {
    Box::pin(run)
}

/// The definition of the block that an expression makes; the expression is not evaluated.
#[doc(hidden)]
pub const fn def_of<B: IntoBlock, F: Fn() -> B>(_: &F) -> &'static BlockDef {
    <B::Block as Block>::DEF
}
