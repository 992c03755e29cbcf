//! What a block's function returns, and the future that its `run` makes of that.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::error::{BoxError, Error, Result};

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

pin_project! {
    /// A block's function while it runs.
    #[doc(hidden)]
    #[derive(Debug)]
    pub struct Begun<F> {
        #[pin]
        run: F,
    }
}

impl<F: Future<Output: BlockResult>> Begun<F> {
    /// The function, which needs nothing.
    #[inline]
    pub fn new(run: F) -> Self {
        Self { run }
    }
}

impl<F: Future<Output: BlockResult>> Future for Begun<F> {
    type Output = Result<<F::Output as BlockResult>::Ok>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().run.poll(cx) {
            Poll::Ready(done) => Poll::Ready(done.into_result()),
            Poll::Pending => Poll::Pending,
        }
    }
}

pin_project! {
    /// The same, or why it could not start.
    #[doc(hidden)]
    #[project = CalledProject]
    #[derive(Debug)]
    pub enum Called<F> {
        Running { #[pin] run: Begun<F> },
        Failed { error: Option<BoxError> },
    }
}

impl<F: Future<Output: BlockResult>> Called<F> {
    /// The function, with all that it needs.
    #[inline]
    pub fn running(run: F) -> Self {
        Self::Running { run: Begun::new(run) }
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
            CalledProject::Running { run } => run.poll(cx),
            CalledProject::Failed { error } => Poll::Ready(Err(failed(error))),
        }
    }
}

#[cold]
fn failed(error: &mut Option<BoxError>) -> Error {
    error.take().map_or_else(|| unreachable!("polled after its end"), Error::from_box)
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
