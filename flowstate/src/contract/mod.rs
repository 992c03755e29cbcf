//! Contracts: states that are changed by reducers alone, and seen by readers alone.
//!
//! `#[contract]` on the `impl` of a state makes it one; a block that says `reads = [Profile::assistant(budget = 200)]` finds
//! the reader as `ctx.reads.profile.assistant()`, one that says `writes = [Profile]` the reducers as
//! `ctx.writes.profile.add_note(…)`. The guide's page is [`contracts`](crate::guide::contracts).

mod event;
mod view;
mod writer;

pub use crate::port::{EstimatedTokens, TokenCounter};
pub use event::Event;
#[doc(hidden)]
pub use event::{Batch, Reduced, Yields, YieldsMany, YieldsOne, YieldsPerhaps, events};
#[doc(hidden)]
pub use view::Reading;
pub use writer::{Opened, Reader};
#[doc(hidden)]
pub use writer::{Writer, fed};

use crate::block::known::Probe;
use crate::state::{Rules, State};

/// JSON, as a `#[repair]` and a `#[migrate(from = …)]` are given it.
// (an alias: a second way to its variant `String` would make the compiler write `std::string::String` everywhere)
pub type Json = serde_json::Value;

/// A state that is changed by reducers alone, and seen by readers alone, made by `#[contract]`.
///
/// ```
/// use flowstate::prelude::*;
///
/// #[state]
/// pub struct Notes { pub all: Vec<String> }
///
/// #[contract]
/// impl Notes {
///     #[reducer]
///     fn add(&mut self, note: String) { self.all.push(note); }
///     #[reader]
///     fn list(&self) -> String { self.all.join("; ") }
/// }
///
/// #[block(handler, reads = [Notes::list(budget = 100)], writes = [Notes])]
/// async fn remember(note: String, ctx: Ctx) -> Result<String> {
///     ctx.writes.notes.add(note).await?;
///     ctx.reads.notes.list().await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// assert_eq!(flowstate::run(remember, "likes tea".to_string()).await?, "likes tea");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a contract",
    label = "not declared with `#[contract]`",
    note = "put `#[contract]` on an `impl` of the state"
)]
pub trait Contract: State {
    /// The reducers, as functions that make updates.
    #[doc(hidden)]
    type Reducers;
    /// What `ctx.writes.<name>` is: one method a reducer, `batch` and `open`.
    type Writes<'a>;
    /// What `batch` gives: the same methods, which collect updates.
    type Batch<'a>;

    /// The writes of a block's run.
    #[doc(hidden)]
    fn writes(writer: Writer<'_, Self>) -> Self::Writes<'_>;

    /// What a reader makes of the value.
    #[doc(hidden)]
    fn render(&self, reader: &str, budget: u32) -> String;
}

/// A type with `#[contract]`, be it a state or not.
#[doc(hidden)]
pub trait Contracted: Sized + 'static {
    /// What holds of it.
    const RULES: &'static Rules<Self>;
    /// The type; an error that the compiler has reported, where it is no state.
    type Itself;
}

impl<T: Contracted> Probe<T> {
    /// It is a contract.
    pub const CONTRACT: bool = true;
    /// Its rules.
    pub const RULES: Option<&'static Rules<T>> = Some(T::RULES);
}
