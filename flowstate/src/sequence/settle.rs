//! `on_settled = |ctx, outcome| …`: told once how a step ended, also where it is dropped.

use std::fmt;

use super::{Site, TapEnd};
use crate::error::{Result, code};
use crate::state::Cells;

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Settled {
    /// The block returned.
    Returned,
    /// It failed.
    Threw,
    /// It waits for somebody, with the request.
    Suspended,
    /// It was dropped before it ended, as by its `abort_signal`, or the request was cancelled.
    Cancelled,
}

impl Settled {
    fn of<T>(result: &Result<T>) -> Self {
        match result {
            Ok(_) => Self::Returned,
            Err(error) if !error.is_final() => Self::Threw,
            Err(error) if error.code() == code::CANCELLED => Self::Cancelled,
            Err(_) => Self::Suspended,
        }
    }
}

/// Calls its function once: when the run has ended, or else when this is dropped.
// no `TapEnd` here: where it is missing, it is missing once
pub struct Told<'a, C, R, F: FnOnce(&C, Settled) -> R> {
    ctx: &'a C,
    function: Option<F>,
    end: fn(R) -> Result<()>,
}

impl<C, R, F: FnOnce(&C, Settled) -> R> Told<'_, C, R, F> {
    fn tell(&mut self, outcome: Settled) {
        if let Some(function) = self.function.take()
            && let Err(error) = (self.end)(function(self.ctx, outcome))
        {
            tracing::warn!(code = error.code(), %error, "`on_settled` failed");
        }
    }

    #[doc(hidden)]
    pub async fn of<T>(mut self, run: impl Future<Output = Result<T>>) -> Result<T> {
        let result = run.await;
        self.tell(Settled::of(&result));
        result
    }
}

impl<C, R, F: FnOnce(&C, Settled) -> R> Drop for Told<'_, C, R, F> {
    fn drop(&mut self) {
        self.tell(Settled::Cancelled);
    }
}

impl<C, R, F: FnOnce(&C, Settled) -> R> fmt::Debug for Told<'_, C, R, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Told").finish_non_exhaustive()
    }
}

impl<'a, C, X: Cells> Site<'a, C, X> {
    /// Tells how a step ended. What the function returns changes nothing; an error of it is logged.
    ///
    /// `step(block, on_settled = |ctx, outcome| …)`, `step_if(|value| …, block, on_settled = |ctx, outcome| …)`. It is
    /// called once for each run of the block, before the next step, also where the work is dropped.
    pub fn on_settled<R, F>(&self, function: F) -> Told<'a, C, R, F>
    where
        R: TapEnd,
        F: FnOnce(&C, Settled) -> R,
    {
        Told { ctx: self.seq.ctx, function: Some(function), end: R::end }
    }
}
