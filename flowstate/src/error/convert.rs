//! From any error and back.

use std::error::Error as StdError;
use std::fmt;

use super::{
    AbortedError, AllFailed, BoxError, Error, ModelError, PanicError, StateError, StoreError,
    TimeoutError, UnknownRouteError, UpdateRejected, ValidationError, WriterTaken, code,
};

/// An [`Error`] as a standard error, so that it survives a foreign signature.
#[derive(Debug)]
struct Wrapped(Error);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Wrapped {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0.0.cause)
    }
}

impl Error {
    /// From any boxed error; an [`Error`] inside keeps its code and path.
    pub fn from_box(cause: BoxError) -> Self {
        let cause = match cause.downcast::<Wrapped>() {
            Ok(wrapped) => return wrapped.0,
            Err(other) => other,
        };
        Self::new(code_of(&cause), cause)
    }
}

/// The code of each type of the framework.
fn code_of(cause: &BoxError) -> &'static str {
    if let Some(state) = cause.downcast_ref::<StateError>() {
        state.code()
    } else if cause.is::<UpdateRejected>() {
        code::STATE_REJECTED
    } else if cause.is::<WriterTaken>() {
        code::WRITER_TAKEN
    } else if cause.is::<StoreError>() {
        code::STORE_FAILED
    } else if cause.is::<PanicError>() {
        code::BLOCK_PANICKED
    } else if cause.is::<AllFailed>() {
        code::ALL_FAILED
    } else if cause.is::<TimeoutError>() {
        code::TIMEOUT
    } else if cause.is::<AbortedError>() {
        code::ABORTED
    } else if cause.is::<ValidationError>() {
        code::VALIDATION_ERROR
    } else if cause.is::<UnknownRouteError>() {
        code::ROUTE_UNKNOWN
    } else if cause.is::<ModelError>() {
        code::MODEL_ERROR
    } else {
        code::BLOCK_FAILED
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self::from_box(Box::new(error))
    }
}

impl From<Error> for BoxError {
    fn from(error: Error) -> Self {
        Box::new(Wrapped(error))
    }
}

impl From<Error> for Box<dyn StdError> {
    fn from(error: Error) -> Self {
        Box::new(Wrapped(error))
    }
}

#[cfg(feature = "anyhow")]
impl From<Error> for anyhow::Error {
    fn from(error: Error) -> Self {
        Self::new(Wrapped(error))
    }
}
