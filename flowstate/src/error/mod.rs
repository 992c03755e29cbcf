//! What a failed block gives: one error type with a stable code, the block's path and the cause.

use std::error::Error as StdError;
use std::fmt;

pub mod code;
mod convert;
mod model;
mod panic;
mod state;
mod step;
mod validation;

pub use self::model::ModelError;
pub use self::panic::PanicError;
pub(crate) use self::panic::{caught, guarded, stopped};
pub use self::state::{StateError, StoreError, UpdateRejected, WriterTaken};
pub use self::step::{AbortedError, AllFailed, TimeoutError, UnknownRouteError};
pub use self::validation::ValidationError;

/// Any error that can cross threads, as the standard library spells it.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// What a block returns: a value, or an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure, with a stable [`code`](Error::code), the [`path`](Error::path) of the block it came from, and its cause.
///
/// Any standard error becomes one by `?`:
///
/// ```
/// fn parse(text: &str) -> flowstate::Result<u32> {
///     Ok(text.parse::<u32>()?)
/// }
/// let error = parse("seven").unwrap_err();
/// assert_eq!(error.code(), "block_failed");
/// assert!(error.is::<std::num::ParseIntError>());
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    code: &'static str,
    retryable: bool,
    stops: bool,
    path: Option<(String, &'static str)>,
    cause: BoxError,
}

impl Error {
    /// An error that is only a text, with the code `block_failed`.
    pub fn msg(message: impl Into<String>) -> Self {
        Self::from_box(message.into().into())
    }

    /// An error with a code of one's own, in `snake_case`. It is a failure, whatever the code.
    pub fn with_code(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, message.into().into())
    }

    /// What ends a request and is no failure, a suspension or a cancellation: nothing stands in for it. The framework's.
    #[doc(hidden)]
    pub fn stop(code: &'static str, message: impl Into<String>) -> Self {
        let mut error = Self::with_code(code, message);
        error.0.stops = true;
        error
    }

    fn new(code: &'static str, cause: BoxError) -> Self {
        let raced = matches!(cause.downcast_ref(), Some(StateError::Concurrent { .. }));
        let retryable = raced
            || cause.is::<TimeoutError>()
            || cause.downcast_ref().is_some_and(ModelError::retryable);
        Self(Box::new(Inner { code, retryable, stops: false, path: None, cause }))
    }

    /// The stable code, one of [`code::ALL`] or the block's own.
    #[must_use]
    pub fn code(&self) -> &str {
        self.0.code
    }

    /// Whether the same call may succeed when it is made again.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }

    /// The same error, marked as worth trying again or not.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = retryable;
        self
    }

    /// Where it happened, from the root to the block: `support > triage[1] > call_model`; empty outside a block.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.path.as_ref().map_or("", |(path, _)| path)
    }

    /// The name of the block it came from, once it has left one.
    #[must_use]
    pub fn block(&self) -> Option<&'static str> {
        self.0.path.as_ref().map(|(_, block)| *block)
    }

    /// The error itself or the first of its causes that is a `T`.
    #[must_use]
    pub fn downcast_ref<T: StdError + 'static>(&self) -> Option<&T> {
        let mut next: Option<&(dyn StdError + 'static)> = Some(&*self.0.cause);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref::<T>() {
                return Some(found);
            }
            next = error.source();
        }
        None
    }

    /// Whether the error itself or one of its causes is a `T`.
    #[must_use]
    pub fn is<T: StdError + 'static>(&self) -> bool {
        self.downcast_ref::<T>().is_some()
    }

    /// What caused it: the error that the block returned.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0.cause)
    }

    /// Whether no other block may take its place: a suspension is not a failure.
    pub(crate) fn is_final(&self) -> bool {
        self.0.stops
    }

    /// Whether another attempt could end otherwise: a block's own failures may, those of the framework say so.
    pub(crate) fn may_pass(&self) -> bool {
        let own = !code::ALL.iter().any(|(code, _)| *code == self.0.code);
        let block =
            matches!(self.0.code, code::BLOCK_FAILED | code::BLOCK_PANICKED | code::ALL_FAILED);
        !self.is_final() && (self.0.retryable || own || block)
    }

    /// Names the place, unless a block further in has done so.
    #[cold]
    pub(crate) fn placed(mut self, path: impl FnOnce() -> (String, &'static str)) -> Self {
        if self.0.path.is_none() {
            self.0.path = Some(path());
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.cause, f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.cause)?;
        if let Some((path, _)) = &self.0.path {
            write!(f, " (in {path})")?;
        }
        let mut cause = self.0.cause.source();
        while let Some(error) = cause {
            write!(f, "\n  caused by: {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
