//! A flow: named entries to blocks.

use std::fmt;
use std::marker::PhantomData;

use crate::block::Block;
use crate::schema::{Concurrency, FlowDef};
use crate::scope::{Entries, Entry};

/// Named entries to blocks, made by `flow!`.
///
/// ```
/// use flowstate::prelude::*;
///
/// #[block(handler)]
/// async fn shout(input: String) -> Result<String> {
///     Ok(input.to_uppercase())
/// }
///
/// flow! {
///     /// Says it louder.
///     #[flow(kind = "loud")]
///     pub struct Loud {
///         /// Upper case.
///         pub shout: shout,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let app = App::builder().flow(Loud).build()?;
/// let answer = app.request().session("s1").call(Loud::shout, "hey".to_string()).await?;
/// assert_eq!(answer, "HEY");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow",
    label = "not declared with `flow!`"
)]
pub trait Flow: Send + Sync + 'static {
    /// Its kind and entries.
    const DEF: &'static FlowDef = Self::ENTRIES.flow;
    /// As written by the macro.
    #[doc(hidden)]
    const ENTRIES: &'static Entries;
}

/// An entry of a flow: `Loud::shout`.
pub struct Action<F, B> {
    name: &'static str,
    concurrency: Concurrency,
    of: PhantomData<fn() -> (F, B)>,
}

impl<F, B> Action<F, B> {
    // no bound: what is not a block is refused where it is run
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, concurrency: Concurrency::Allow, of: PhantomData }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn concurrency(self, concurrency: Concurrency) -> Self {
        Self { concurrency, ..self }
    }

    /// What becomes of a call while the session is busy.
    pub(super) fn policy(&self) -> Concurrency {
        self.concurrency
    }

    /// The entry's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// A block that its name alone makes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made by its name alone",
    label = "an entry names its block, and nothing else",
    note = "a block with `#[config]` becomes an entry behind a sequencer of its own: `fn named(input: …) -> … {{ input.step({Self}(…)) }}`",
    note = "a block that is written by hand derives `Default`"
)]
pub trait Named: Block + Default {}

#[diagnostic::do_not_recommend]
impl<B: Block + Default> Named for B {}

/// An action, with its types erased.
#[doc(hidden)]
#[must_use]
pub const fn entry<F: Flow, B: Named>(action: &'static Action<F, B>) -> &'static dyn Entry {
    action
}

impl<F, B> Clone for Action<F, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F, B> Copy for Action<F, B> {}

impl<F, B> fmt::Debug for Action<F, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Action({})", self.name)
    }
}
