//! What a failed block gives: one error type with a stable code, the block's path and the cause.

use std::error::Error as StdError;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;

use crate::sync::{JoinError, panic_of};

/// Any error that can cross threads, as the standard library spells it.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// What a block returns: a value, or an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The stable codes, in one place: what [`Error::code`] gives and what a program may compare with.
pub mod code {
    /// A block returned an error of its own.
    pub const BLOCK_FAILED: &str = "block_failed";
    /// A block panicked; the panic was caught.
    pub const BLOCK_PANICKED: &str = "block_panicked";
    /// A block was started in a place where the state it reaches for does not exist.
    pub const BLOCK_MISPLACED: &str = "block_misplaced";
    /// A block needs a service that nothing provides.
    pub const NEED_NOT_PROVIDED: &str = "need_not_provided";
    /// A flow or an app is put together in a way that cannot work.
    pub const APP_INVALID: &str = "app_invalid";
    /// The app has no flow of this kind, or of this id.
    pub const UNKNOWN_FLOW: &str = "unknown_flow";
    /// The flow has no action of this name.
    pub const UNKNOWN_ACTION: &str = "unknown_action";
    /// JSON does not fit the type that it was to become, or a value cannot be JSON.
    pub const VALIDATION_ERROR: &str = "validation_error";
    /// Every arm of a `branch` was passed over.
    pub const NO_BRANCH: &str = "no_branch";
    /// A `do_until` or `do_while` ran as often as it may.
    pub const LOOP_LIMIT: &str = "loop_limit";
    /// Every block of a `step_any` or a `race` failed.
    pub const ALL_FAILED: &str = "all_failed";
    /// An arithmetic change would not fit the field: overflow, or a value that is not finite.
    pub const STATE_DELTA_REFUSED: &str = "state_delta_refused";
    /// A value was refused by a `validate` function, or an update of a contract by its reducer or its checks.
    pub const STATE_REJECTED: &str = "state_rejected";
    /// A container was written from inside an `update` of the same container.
    pub const STATE_REENTRANT: &str = "state_reentrant";
    /// A value cannot be kept in a store: as JSON it would be another value.
    pub const STATE_NOT_STORABLE: &str = "state_not_storable";
    /// A stored contract is of a newer version than the program.
    pub const STATE_NEWER: &str = "state_newer";
    /// Another block of the request has opened the writer of a contract.
    pub const WRITER_TAKEN: &str = "writer_taken";
    /// Other processes changed a stored state each time that this one tried to; worth trying again.
    pub const CONCURRENT_MODIFICATION: &str = "concurrent_modification";
    /// A store failed.
    pub const STORE_FAILED: &str = "store_failed";
    /// An action with `concurrency = reject` was called while others were in its line; worth trying again.
    pub const ACTION_BUSY: &str = "action_busy";
    /// A call with `concurrency = queue` waited longer than it may; worth trying again.
    pub const QUEUE_TIMEOUT: &str = "queue_timeout";
    /// A request called an action that would wait for that request itself.
    pub const QUEUE_DEADLOCK: &str = "queue_deadlock";
    /// A call names no user, and the flow or the action needs one.
    pub const USER_REQUIRED: &str = "user_required";
    /// There is no such session, or not for this user.
    pub const SESSION_NOT_FOUND: &str = "session_not_found";
    /// A request used more tokens than its action may.
    pub const TOKEN_BUDGET_EXCEEDED: &str = "token_budget_exceeded";
    /// One attempt at a block took longer than its `timeout`; worth trying again.
    pub const TIMEOUT: &str = "timeout";
    /// The `abort_signal` of a step fired before its block returned.
    pub const ABORTED: &str = "aborted";
    /// The request was cancelled.
    pub const CANCELLED: &str = "cancelled";
    /// A request waits for something from outside (reserved).
    pub const SUSPENDED: &str = "suspended";
    /// A router has no route of that name.
    pub const ROUTE_UNKNOWN: &str = "route_unknown";
    /// A resumed router no longer has the route it had taken (reserved).
    pub const ROUTE_UNAVAILABLE: &str = "route_unavailable";
    /// A generator asks a model whose name the app does not know.
    pub const UNKNOWN_MODEL: &str = "unknown_model";
    /// A generator searches the web, and its model cannot.
    pub const NO_SEARCH: &str = "no_search";
    /// A model, or the way to it, failed.
    pub const MODEL_ERROR: &str = "model_error";
    /// A generator took as many steps as it may, and its model said nothing.
    pub const NO_OUTPUT: &str = "no_output";
    /// A generator has two tools of one name, or its prompt names a tool that it does not have.
    pub const TOOLS_INVALID: &str = "tools_invalid";
    /// A prompt's context has a key or a shape that makes no tag.
    pub const CONTEXT_INVALID: &str = "context_invalid";

    /// Every code of the framework, with what it means.
    pub const ALL: &[(&str, &str)] = &[
        (BLOCK_FAILED, "a block returned an error of its own"),
        (BLOCK_PANICKED, "a block panicked"),
        (BLOCK_MISPLACED, "the state a block reaches for does not exist where it runs"),
        (NEED_NOT_PROVIDED, "a block needs a service that nothing provides"),
        (APP_INVALID, "a flow or an app cannot work as it is put together"),
        (UNKNOWN_FLOW, "the app has no flow of this kind, or of this id"),
        (UNKNOWN_ACTION, "the flow has no action of this name"),
        (
            VALIDATION_ERROR,
            "JSON does not fit the type that it was to become, or a value cannot be JSON",
        ),
        (NO_BRANCH, "every arm of a branch was passed over"),
        (LOOP_LIMIT, "a loop ran as often as it may"),
        (ALL_FAILED, "every block of a step_any or a race failed"),
        (STATE_DELTA_REFUSED, "overflow, or a value that is not finite"),
        (STATE_REJECTED, "a validate function refused the value, or a contract an update"),
        (STATE_REENTRANT, "a write from inside an update of the same container"),
        (STATE_NOT_STORABLE, "as JSON the value would be another, so a store cannot keep it"),
        (STATE_NEWER, "a stored contract is of a newer version than the program"),
        (WRITER_TAKEN, "another block of the request has opened the writer of a contract"),
        (CONCURRENT_MODIFICATION, "other processes changed a stored state at every attempt"),
        (STORE_FAILED, "a store could not read or write"),
        (ACTION_BUSY, "others are in the line, and the action says `concurrency = reject`"),
        (QUEUE_TIMEOUT, "a queued call waited longer than it may"),
        (QUEUE_DEADLOCK, "an action was called that would wait for its own caller"),
        (USER_REQUIRED, "the call names no user, and the flow or the action needs one"),
        (SESSION_NOT_FOUND, "there is no such session, or not for this user"),
        (TOKEN_BUDGET_EXCEEDED, "the request used more tokens than its action may"),
        (TIMEOUT, "one attempt took longer than the block's timeout"),
        (ABORTED, "the `abort_signal` of a step fired"),
        (CANCELLED, "the request was cancelled"),
        (SUSPENDED, "reserved: the request waits for something from outside"),
        (ROUTE_UNKNOWN, "a router has no route of that name"),
        (ROUTE_UNAVAILABLE, "reserved: a resumed router lost its route"),
        (UNKNOWN_MODEL, "a generator asks a model whose name the app does not know"),
        (NO_SEARCH, "a generator searches the web by a model that cannot"),
        (MODEL_ERROR, "a model, or the way to it, failed"),
        (NO_OUTPUT, "a generator took as many steps as it may, and its model said nothing"),
        (
            TOOLS_INVALID,
            "a generator has two tools of one name, or its prompt names one that it does not have",
        ),
        (CONTEXT_INVALID, "a prompt's context has a key or a shape that makes no tag"),
    ];
}

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
    fn code(&self) -> &'static str {
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

/// One attempt at a block took longer than its `timeout` ([`code::TIMEOUT`]).
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

/// The `abort_signal` of a step fired before its block returned, and the block was dropped ([`code::ABORTED`]).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AbortedError;

impl fmt::Display for AbortedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the step was aborted")
    }
}

impl StdError for AbortedError {}

/// JSON does not fit the type that it was to become, or a value cannot be JSON ([`code::VALIDATION_ERROR`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    of: String,
    path: String,
    message: String,
}

impl ValidationError {
    /// In `of`, "the input of …", at the path as `serde_path_to_error` writes it.
    pub(crate) fn new(of: String, path: String, message: String) -> Self {
        // its word for the whole
        let path = if path == "." { String::new() } else { path };
        Self { of, path, message }
    }

    /// The field: `items[2].price`; empty where the whole does not fit.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with it: "invalid type: string, expected u32".
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not fit: ", self.of)?;
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl StdError for ValidationError {}

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

/// Every block of a `step_any` or a `race` failed ([`code::ALL_FAILED`]).
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

/// A router has no route of that name ([`code::ROUTE_UNKNOWN`]).
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

/// A model, or the way to it, failed ([`code::MODEL_ERROR`]). It never holds a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    model: String,
    message: String,
    status: Option<u16>,
    retry_after: Option<Duration>,
    retryable: bool,
    /// What failed before it.
    earlier: Vec<ModelError>,
}

impl ModelError {
    /// Of this model, `provider/model`; not worth trying again. What looks like a key or a token in the message is left out.
    pub fn new(model: impl Into<String>, message: impl AsRef<str>) -> Self {
        let message = without_keys(message.as_ref());
        Self {
            model: model.into(),
            message,
            status: None,
            retry_after: None,
            retryable: false,
            earlier: Vec::new(),
        }
    }

    /// The same, with what the provider's server said; of 408, 429 and from 500 on it is worth trying again.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self.retryable = matches!(status, 408 | 429 | 500..);
        self
    }

    /// The same, worth trying again after this time.
    #[must_use]
    pub fn with_retry_after(mut self, after: Duration) -> Self {
        self.retry_after = Some(after);
        self.with_retryable(true)
    }

    /// The same, worth trying again or not.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// The last of several models that were asked, after these.
    pub(crate) fn after(mut self, earlier: Vec<Self>) -> Self {
        self.retryable |= earlier.iter().any(Self::retryable);
        self.earlier = earlier;
        self
    }

    /// Where several models were asked, the failures before this one, in order.
    #[must_use]
    pub fn earlier(&self) -> &[Self] {
        &self.earlier
    }

    /// The model, `provider/model`.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What went wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The HTTP status, where there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// How long the provider asks to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether the same call may succeed when it is made again.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.retryable
    }
}

/// A text without words that look like a key (`sk-…`) or follow `Bearer`.
fn without_keys(text: &str) -> String {
    let mut bearer = false;
    let each = text.split_inclusive(char::is_whitespace).map(|part| {
        let word = part.trim_end();
        let inner = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let secret = bearer || (inner.starts_with("sk-") && inner.len() > 8);
        bearer = inner.eq_ignore_ascii_case("bearer");
        if secret { format!("[key]{}", &part[word.len()..]) } else { part.to_owned() }
    });
    each.collect()
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.earlier.is_empty() {
            f.write_str("all models failed:")?;
            for error in &self.earlier {
                write!(f, "\n- {error}")?;
            }
            f.write_str("\n- ")?;
        }
        write!(f, "model `{}` failed", self.model)?;
        if let Some(status) = self.status {
            write!(f, " with status {status}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl StdError for ModelError {}

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

    /// From any boxed error; an [`Error`] inside keeps its code and path.
    pub fn from_box(cause: BoxError) -> Self {
        let cause = match cause.downcast::<Wrapped>() {
            Ok(wrapped) => return wrapped.0,
            Err(other) => other,
        };
        let code = if let Some(state) = cause.downcast_ref::<StateError>() {
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
        };
        Self::new(code, cause)
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
