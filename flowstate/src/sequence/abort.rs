//! `abort_signal = |ctx| …`: a step that is dropped, and fails, when a signal fires.

use std::fmt;
use std::future::IntoFuture;
use std::pin::{Pin, pin};

use futures_util::future::{Either, select};

use super::{Call, Site};
use crate::block::Block;
use crate::error::{AbortedError, Result};
use crate::state::Cells;

/// What can abort a step: a [`Signal`](crate::Signal), or whatever else is awaited and gives nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no signal",
    label = "`abort_signal` is given `{Self}`",
    note = "a signal is a future of `()` that can be sent to another thread, such as `token.cancelled_owned()`, or a `Signal`"
)]
pub trait AbortSignal: Send {
    /// Returns when it fires.
    #[doc(hidden)]
    fn fired(self) -> impl Future<Output = ()> + Send;
}

#[diagnostic::do_not_recommend]
impl<S> AbortSignal for S
where
    S: IntoFuture<Output = (), IntoFuture: Send> + Send,
{
    fn fired(self) -> impl Future<Output = ()> + Send {
        self.into_future()
    }
}

/// What aborts a step: it returns when the signal fires.
// in a box, so that its type is not asked for again: what is no signal is refused once
pub struct Aborts<'s>(Pin<Box<dyn Future<Output = ()> + Send + 's>>);

impl fmt::Debug for Aborts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aborts").finish_non_exhaustive()
    }
}

impl Aborts<'_> {
    #[doc(hidden)]
    pub async fn of<'a, B: Block, X: Cells, F>(
        self,
        call: Call<'a, B, X>,
        run: impl FnOnce(Call<'a, B, X>) -> F + Send,
    ) -> Result<B::Output>
    where
        F: Future<Output = Result<B::Output>> + Send,
    {
        let link = call.at().link();
        let inside = link.abortable();
        // in a block of its own, so that what is aborted has been dropped before anything follows
        {
            let run = pin!(run(call));
            match select(self.0, run).await {
                Either::Right((done, _)) => return done,
                Either::Left(_) => inside.abort(),
            }
        }
        Err(link.name(B::HEAD, AbortedError.into()))
    }
}

impl<'a, C, X: Cells> Site<'a, C, X> {
    /// Aborts a step: when the signal fires, what the step has begun is dropped, and it fails with
    /// [`AbortedError`], code `aborted`.
    ///
    /// `step(block, abort_signal = |ctx| …)`, `step_if(|value| …, block, abort_signal = |ctx| …)`. The function is called
    /// once for each run of the block, before it.
    pub fn abort_signal<S>(&self, function: impl FnOnce(&'a C) -> S) -> Aborts<'a>
    where
        S: AbortSignal + 'a,
    {
        Aborts(Box::pin(function(self.seq.ctx).fired()))
    }
}
