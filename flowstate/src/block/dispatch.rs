//! How a block is run by another: its panic is an error, and its name is in every error.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::{Attempt as _, Block};
use crate::error::{Error, PanicError, Result};
use crate::schema::Head;
use crate::scope::At;
use crate::state::Cells;

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
    fn of<X: Cells>(
        block: &'a B,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> Dispatch<'a, B, impl Future<Output = Result<B::Output>> + Send + use<'a, B, X>> {
        Dispatch { run: B::Attempt::attempt(block, input, at, cells), at, of: PhantomData }
    }
}

impl<T, B: Block, F: Future<Output = Result<T>>> Future for Dispatch<'_, B, F> {
    type Output = Result<T>;

    // (inlined, a block is optimized again with all that stands around it, a tenth of a release build; and
    // `FutureExt::catch_unwind` would be five functions more for each block)
    #[inline(never)]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let this = self.project();
        match std::panic::catch_unwind(AssertUnwindSafe(|| this.run.poll(cx))) {
            Ok(Poll::Ready(Err(error))) => Poll::Ready(Err(this.at.link().name(B::HEAD, error))),
            Ok(polled) => polled,
            Err(panic) => Poll::Ready(Err(panicked(*this.at, B::HEAD, panic))),
        }
    }
}

#[cold]
fn panicked(at: At<'_>, head: &Head, panic: Box<dyn Any + Send>) -> Error {
    at.link().name(head, PanicError::of(panic).into())
}
