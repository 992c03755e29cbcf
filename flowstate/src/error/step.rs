//! What a sequencer or a router gives instead of a block's own result.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::Error;

/// One attempt at a block took longer than its `timeout` ([`code::TIMEOUT`](super::code::TIMEOUT)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeoutError {
    after: Duration,
}

impl TimeoutError {
    pub(crate) fn new(after: Duration) -> Self {
        Self { after }
    }

    /// How long it was allowed to take.
    #[must_use]
    pub fn after(&self) -> Duration {
        self.after
    }
}

impl fmt::Display for TimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the block took longer than {:?}", self.after)
    }
}

impl StdError for TimeoutError {}

/// The `abort_signal` of a step fired before its block returned, and the block was dropped ([`code::ABORTED`](super::code::ABORTED)).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbortedError;

impl fmt::Display for AbortedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the step was aborted")
    }
}

impl StdError for AbortedError {}

/// Every block of a `step_any` or a `race` failed ([`code::ALL_FAILED`](super::code::ALL_FAILED)).
#[derive(Debug)]
pub struct AllFailed {
    method: &'static str,
    errors: Vec<Error>,
}

impl AllFailed {
    pub(crate) fn new(method: &'static str, errors: Vec<Error>) -> Self {
        Self { method, errors }
    }

    /// Their errors: of a `step_any` in its order, of a `race` as they came.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }
}

impl fmt::Display for AllFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "every block of the `{}` failed", self.method)?;
        for (i, error) in self.errors.iter().enumerate() {
            write!(f, "{} {error}", if i == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl StdError for AllFailed {}

/// A router has no route of that name ([`code::ROUTE_UNKNOWN`](super::code::ROUTE_UNKNOWN)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRouteError {
    router: &'static str,
    key: String,
    known: &'static [&'static str],
}

impl UnknownRouteError {
    #[doc(hidden)]
    #[must_use]
    pub fn new(router: &'static str, key: &str, known: &'static [&'static str]) -> Self {
        Self { router, key: key.to_owned(), known }
    }

    /// The name that was asked for.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The names of the routes that there are.
    #[must_use]
    pub fn known(&self) -> &'static [&'static str] {
        self.known
    }
}

impl fmt::Display for UnknownRouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` has no route {:?}; there are ", self.router, self.key)?;
        for (i, key) in self.known.iter().enumerate() {
            write!(f, "{}`{key}`", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl StdError for UnknownRouteError {}
