//! What a state, a contract or a store refuses.

use std::error::Error as StdError;
use std::fmt;

use super::{BoxError, code};

/// Why an operation on state was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The result would overflow, or would not be finite ([`code::STATE_DELTA_REFUSED`]).
    DeltaRefused {
        /// The state and the field, as `Bag.count`.
        field: String,
    },
    /// A `validate` function said no ([`code::STATE_REJECTED`]).
    Rejected {
        /// The state and the field, as `Bag.count`.
        field: String,
        /// What the function said.
        reason: String,
    },
    /// The container is being updated by the caller itself ([`code::STATE_REENTRANT`]).
    Reentrant {
        /// The state's name.
        state: &'static str,
    },
    /// As JSON it would be another value ([`code::STATE_NOT_STORABLE`]).
    NotStorable {
        /// The state and the field, as `Bag.count`.
        field: String,
        /// What JSON makes of it.
        reason: String,
    },
    /// What is stored is of a newer version than the program knows; it is neither read nor written
    /// ([`code::STATE_NEWER`]).
    Newer {
        /// The state's name.
        state: &'static str,
        /// The stored version.
        stored: u64,
        /// The program's.
        known: u32,
    },
    /// Other processes were faster at every attempt ([`code::CONCURRENT_MODIFICATION`]).
    Concurrent {
        /// The state's name.
        state: &'static str,
        /// How often it was tried.
        attempts: u32,
    },
}

impl StateError {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::DeltaRefused { .. } => code::STATE_DELTA_REFUSED,
            Self::Rejected { .. } => code::STATE_REJECTED,
            Self::Reentrant { .. } => code::STATE_REENTRANT,
            Self::NotStorable { .. } => code::STATE_NOT_STORABLE,
            Self::Newer { .. } => code::STATE_NEWER,
            Self::Concurrent { .. } => code::CONCURRENT_MODIFICATION,
        }
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeltaRefused { field } => {
                write!(f, "`{field}` keeps its value: the result would overflow or not be finite")
            }
            Self::Rejected { field, reason } => {
                write!(f, "`{field}` keeps its value: {reason}")
            }
            Self::Reentrant { state } => {
                write!(f, "`{state}` was written from inside an update of the same container")
            }
            Self::NotStorable { field, reason } => {
                write!(f, "`{field}` keeps its value: a store cannot keep the new one: {reason}")
            }
            Self::Newer { state, stored, known } => {
                write!(
                    f,
                    "`{state}` is stored in version {stored}, and this program knows version {known}"
                )
            }
            Self::Concurrent { state, attempts } => {
                write!(f, "`{state}` was changed by another process at each of {attempts} attempts")
            }
        }
    }
}

impl StdError for StateError {}

/// A contract refused an update, and keeps its value ([`code::STATE_REJECTED`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateRejected {
    contract: &'static str,
    event: &'static str,
    field: String,
    reason: String,
}

impl UpdateRejected {
    pub(crate) fn new(
        contract: &'static str,
        event: &'static str,
        field: String,
        reason: String,
    ) -> Self {
        Self { contract, event, field, reason }
    }

    /// The contract's name.
    #[must_use]
    pub fn contract(&self) -> &'static str {
        self.contract
    }

    /// The reducer whose update it was.
    #[must_use]
    pub fn event(&self) -> &'static str {
        self.event
    }

    /// The field that is wrong; empty where the whole is.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// What is wrong.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for UpdateRejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { contract, event, field, reason } = self;
        write!(f, "`{contract}` keeps its value: the update `{event}` was rejected: ")?;
        if !field.is_empty() {
            write!(f, "`{field}`: ")?;
        }
        f.write_str(reason)
    }
}

impl StdError for UpdateRejected {}

/// Another block of the request has opened the writer of a contract ([`code::WRITER_TAKEN`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterTaken {
    contract: &'static str,
    holder: String,
}

impl WriterTaken {
    pub(crate) fn new(contract: &'static str, holder: String) -> Self {
        Self { contract, holder }
    }

    /// The contract's name.
    #[must_use]
    pub fn contract(&self) -> &'static str {
        self.contract
    }

    /// The path of the block that has the writer, until the request ends.
    #[must_use]
    pub fn holder(&self) -> &str {
        &self.holder
    }
}

impl fmt::Display for WriterTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { contract, holder } = self;
        write!(f, "`{contract}` is written by `{holder}` alone until the request ends")
    }
}

impl StdError for WriterTaken {}

/// A store could not do what it was asked for ([`code::STORE_FAILED`]).
#[derive(Debug)]
pub struct StoreError {
    what: String,
    cause: BoxError,
}

impl StoreError {
    pub(crate) fn new(what: impl Into<String>, cause: BoxError) -> Self {
        Self { what: what.into(), cause }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.cause)
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.cause)
    }
}
