//! What a block is: a type with an input, an output, a definition and a `run`.

mod adapt;
mod again;
mod attempt;
mod dispatch;
mod fit;
mod future;
mod json;
mod kept;
#[doc(hidden)]
pub mod known;
mod noted;
mod rescue;
mod tool;

pub use adapt::{ConnectInput, ConnectOutput};
pub use again::{Again, again};
#[doc(hidden)]
pub use attempt::{AsSaid, Attempt, Attempts, IsTimeout, Once, Says};
pub(crate) use dispatch::{dispatch, dispatch_in};
#[doc(hidden)]
pub use fit::{Agrees, Ends, Repeats, Replaces};
pub use fit::{Keeps, Returns, Takes};
pub use future::BlockResult;
pub(crate) use future::convert;
#[doc(hidden)]
pub use future::{Begun, Boxed, Called, Holds, boxed, held};
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

use crate::error::Result;
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
