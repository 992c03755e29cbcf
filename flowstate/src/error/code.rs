//! The stable codes, in one place: what [`Error::code`](super::Error::code) gives and what a program may compare with.

/// Each code once: its constant, and its row in `ALL`.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $means:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $code;)*

        /// Every code of the framework, with what it means.
        pub const ALL: &[(&str, &str)] = &[$(($name, $means)),*];
    };
}

codes! {
    /// A block returned an error of its own.
    BLOCK_FAILED = "block_failed", "a block returned an error of its own";
    /// A block panicked; the panic was caught.
    BLOCK_PANICKED = "block_panicked", "a block panicked";
    /// A block was started in a place where the state it reaches for does not exist.
    BLOCK_MISPLACED = "block_misplaced", "the state a block reaches for does not exist where it runs";
    /// A block needs a service that nothing provides.
    NEED_NOT_PROVIDED = "need_not_provided", "a block needs a service that nothing provides";
    /// A flow or an app is put together in a way that cannot work.
    APP_INVALID = "app_invalid", "a flow or an app cannot work as it is put together";
    /// The app has no flow of this kind, or of this id.
    UNKNOWN_FLOW = "unknown_flow", "the app has no flow of this kind, or of this id";
    /// The flow has no action of this name.
    UNKNOWN_ACTION = "unknown_action", "the flow has no action of this name";
    /// JSON does not fit the type that it was to become, or a value cannot be JSON.
    VALIDATION_ERROR = "validation_error", "JSON does not fit the type that it was to become, or a value cannot be JSON";
    /// Every arm of a `branch` was passed over.
    NO_BRANCH = "no_branch", "every arm of a branch was passed over";
    /// A `do_until` or `do_while` ran as often as it may.
    LOOP_LIMIT = "loop_limit", "a loop ran as often as it may";
    /// Every block of a `step_any` or a `race` failed.
    ALL_FAILED = "all_failed", "every block of a step_any or a race failed";
    /// An arithmetic change would not fit the field: overflow, or a value that is not finite.
    STATE_DELTA_REFUSED = "state_delta_refused", "overflow, or a value that is not finite";
    /// A value was refused by a `validate` function, or an update of a contract by its reducer or its checks.
    STATE_REJECTED = "state_rejected", "a validate function refused the value, or a contract an update";
    /// A container was written from inside an `update` of the same container.
    STATE_REENTRANT = "state_reentrant", "a write from inside an update of the same container";
    /// A value cannot be kept in a store: as JSON it would be another value.
    STATE_NOT_STORABLE = "state_not_storable", "as JSON the value would be another, so a store cannot keep it";
    /// A stored contract is of a newer version than the program.
    STATE_NEWER = "state_newer", "a stored contract is of a newer version than the program";
    /// Another block of the request has opened the writer of a contract.
    WRITER_TAKEN = "writer_taken", "another block of the request has opened the writer of a contract";
    /// Other processes changed a stored state each time that this one tried to; worth trying again.
    CONCURRENT_MODIFICATION = "concurrent_modification", "other processes changed a stored state at every attempt";
    /// A store failed.
    STORE_FAILED = "store_failed", "a store could not read or write";
    /// An action with `concurrency = reject` was called while others were in its line; worth trying again.
    ACTION_BUSY = "action_busy", "others are in the line, and the action says `concurrency = reject`";
    /// A call with `concurrency = queue` waited longer than it may; worth trying again.
    QUEUE_TIMEOUT = "queue_timeout", "a queued call waited longer than it may";
    /// A request called an action that would wait for that request itself.
    QUEUE_DEADLOCK = "queue_deadlock", "an action was called that would wait for its own caller";
    /// A call names no user, and the flow or the action needs one.
    USER_REQUIRED = "user_required", "the call names no user, and the flow or the action needs one";
    /// There is no such session, or not for this user.
    SESSION_NOT_FOUND = "session_not_found", "there is no such session, or not for this user";
    /// A request used more tokens than its action may.
    TOKEN_BUDGET_EXCEEDED = "token_budget_exceeded", "the request used more tokens than its action may";
    /// One attempt at a block took longer than its `timeout`; worth trying again.
    TIMEOUT = "timeout", "one attempt took longer than the block's timeout";
    /// The `abort_signal` of a step fired before its block returned.
    ABORTED = "aborted", "the `abort_signal` of a step fired";
    /// The request was cancelled.
    CANCELLED = "cancelled", "the request was cancelled";
    /// A request waits for something from outside (reserved).
    SUSPENDED = "suspended", "reserved: the request waits for something from outside";
    /// A router has no route of that name.
    ROUTE_UNKNOWN = "route_unknown", "a router has no route of that name";
    /// A resumed router no longer has the route it had taken (reserved).
    ROUTE_UNAVAILABLE = "route_unavailable", "reserved: a resumed router lost its route";
    /// A generator asks a model whose name the app does not know.
    UNKNOWN_MODEL = "unknown_model", "a generator asks a model whose name the app does not know";
    /// A generator searches the web, and its model cannot.
    NO_SEARCH = "no_search", "a generator searches the web by a model that cannot";
    /// A model, or the way to it, failed.
    MODEL_ERROR = "model_error", "a model, or the way to it, failed";
    /// A generator took as many steps as it may, and its model said nothing.
    NO_OUTPUT = "no_output", "a generator took as many steps as it may, and its model said nothing";
    /// A generator has two tools of one name, or its prompt names a tool that it does not have.
    TOOLS_INVALID = "tools_invalid", "a generator has two tools of one name, or its prompt names one that it does not have";
    /// A prompt's context has a key or a shape that makes no tag.
    CONTEXT_INVALID = "context_invalid", "a prompt's context has a key or a shape that makes no tag";
}
