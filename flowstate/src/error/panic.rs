//! Panics and lost tasks, as errors.

use std::error::Error as StdError;
use std::fmt;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use super::{Error, Result, code};
use crate::sync::{JoinError, panic_of};

/// A block's panic, caught ([`code::BLOCK_PANICKED`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanicError {
    message: String,
}

impl PanicError {
    /// What the panic said.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Of what the panic carried.
    pub(crate) fn of(payload: Box<dyn std::any::Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let Some(message) = text else {
            // what is no text may panic again where it is dropped, and nothing would catch it
            std::mem::forget(payload);
            return Self { message: "a value that is not text".into() };
        };
        Self { message }
    }
}

impl fmt::Display for PanicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the block panicked: {}", self.message)
    }
}

impl StdError for PanicError {}

/// Why a task ended without its result: it panicked, or its runtime went.
pub(crate) fn stopped(task: JoinError) -> Error {
    match panic_of(task) {
        Ok(panic) => PanicError::of(panic).into(),
        Err(task) => Error::stop(code::CANCELLED, task.to_string()),
    }
}

/// Calls the user's code, with a panic as an error.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, PanicError> {
    std::panic::catch_unwind(AssertUnwindSafe(call)).map_err(PanicError::of)
}

/// Awaits, with a panic as an error.
pub(crate) async fn guarded<T>(run: impl Future<Output = Result<T>> + Send) -> Result<T> {
    match AssertUnwindSafe(run).catch_unwind().await {
        Ok(done) => done,
        Err(panic) => Err(PanicError::of(panic).into()),
    }
}
