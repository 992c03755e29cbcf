//! A way back to a block that is already running further out.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;

use super::{Attempt as _, Block, Caching, IntoBlock, Once};
use crate::error::Result;
use crate::schema::check::unmet_inside;
use crate::schema::{BlockDef, Head, Kind};
use crate::scope::At;

/// A back edge: runs a block from within itself. Where two blocks reach each other, one of the two ways is an `again`.
///
/// ```
/// use flowstate::prelude::*;
///
/// /// Counts down to zero, one run inside the other.
/// #[block(sequencer)]
/// async fn countdown(n: u32, ctx: Ctx) -> Result<u32> {
///     if n == 0 { Ok(0) } else { ctx.step(again(countdown), n - 1).await }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// assert_eq!(flowstate::run(countdown, 5).await?, 0);
/// # Ok(())
/// # }
/// ```
pub const fn again<B: IntoBlock>(block: B) -> Again<B::Block> {
    // a function item has nothing to drop, and a `const fn` may not drop
    std::mem::forget(block);
    Again(PhantomData)
}

/// A block that is run from within itself, by [`again`].
pub struct Again<B>(PhantomData<fn() -> B>);

impl<B> Clone for Again<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Again<B> {}

#[diagnostic::do_not_recommend]
impl<B: Block> fmt::Debug for Again<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Again({})", B::HEAD.name)
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block + Default> IntoBlock for Again<B> {
    type Block = Self;
    type Attempt = Once;
    fn into_block(self) -> Self {
        self
    }
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

#[diagnostic::do_not_recommend]
impl<B: Block + Default> Block for Again<B> {
    type Input = B::Input;
    type Output = B::Output;
    const HEAD: &'static Head = B::HEAD;
    /// Never `B::DEF`, which is made of this one.
    const DEF: &'static BlockDef = &BlockDef {
        head: &Head { kind: Kind::Again, ..*B::HEAD },
        children: &[],
        brought: &[],
        unmet: &[unmet_inside(B::HEAD)],
        lasting: B::HEAD.lasting,
        needs: false,
        waits: false,
        told: false,
        holds: 0,
    };

    fn caching(&self) -> Option<Caching<B::Input>> {
        B::default().caching()
    }

    fn run<'a>(
        &'a self,
        input: B::Input,
        at: At<'a>,
    ) -> impl Future<Output = Result<B::Output>> + Send {
        // boxed, so that the future does not contain itself
        let run: Boxed<'a, B::Output> =
            Box::pin(
                async move { B::Attempt::attempt(&B::default(), input, at, None::<&()>).await },
            );
        run
    }
}
