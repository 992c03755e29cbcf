//! Several blocks with one value: what `parallel`, `step_all`, `step_any`, `race`, `branch` and the loops stand on.

use std::fmt;
use std::pin::Pin;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Semaphore;

use super::Site;
use super::fit::{EndIs, OutputIs, Several, Shared, Thrown};
use super::flow::Like;
use crate::block::{Agrees, convert};
use crate::error::{AllFailed, Error, Result, code, guarded};
use crate::state::Cells;

/// At most so many branches at once.
#[derive(Debug)]
pub struct Gate(Semaphore);

impl Gate {
    #[doc(hidden)]
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self(Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS)))
    }

    #[doc(hidden)]
    pub async fn run<T>(&self, branch: impl Future<Output = T> + Send) -> T {
        // the semaphore is never closed, so this fails never
        let _permit = self.0.acquire().await;
        branch.await
    }
}

type Branch<'a, O> = Pin<Box<dyn Future<Output = Result<O>> + Send + 'a>>;

/// Branches of which the first success counts.
pub struct Race<'a, O>(Vec<Branch<'a, O>>);

impl<O> fmt::Debug for Race<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Race({})", self.0.len())
    }
}

impl<'a, O> Race<'a, O> {
    #[doc(hidden)]
    #[must_use]
    pub fn none() -> Self {
        Self(Vec::new())
    }

    #[doc(hidden)]
    pub fn add(&mut self, branch: impl Future<Output = Result<O>> + Send + 'a) {
        self.0.push(Box::pin(branch));
    }

    #[doc(hidden)]
    pub fn go(self) -> impl Future<Output = Result<O>> + Send {
        async move {
            let mut failed = Vec::new();
            let mut running: FuturesUnordered<_> = self.0.into_iter().collect();
            while let Some(ended) = running.next().await {
                match ended {
                    Ok(output) => return Ok(output),
                    Err(error) if error.is_final() => return Err(error),
                    Err(error) => failed.push(error),
                }
            }
            Err(none_succeeded("race", failed))
        }
    }
}

fn none_succeeded(what: &'static str, mut failed: Vec<Error>) -> Error {
    match failed.len() {
        1 => failed.remove(0),
        _ => AllFailed::new(what, failed).into(),
    }
}

impl<C, X: Cells> Site<'_, C, X> {
    /// A block's output where another block's must be the same type.
    #[doc(hidden)]
    #[inline]
    pub fn output<V, B: Agrees<V>>(&self, _: Like<V>, output: B::Output, _: &B) -> V {
        output
    }

    /// As [`output`](Self::output), of a block that is an expression.
    #[doc(hidden)]
    #[inline]
    pub fn output_value<V, O: OutputIs<V>>(&self, _: Like<V>, output: O) -> V {
        output.output()
    }

    /// What the block of a `rescue` returned, where it is an expression.
    #[doc(hidden)]
    #[inline]
    pub fn end_value<V, O: EndIs<V>>(&self, _: Like<V>, output: O) -> V {
        output.end()
    }

    /// Whether a failure has a code.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn has_code(&self, error: &Error, code: &str) -> bool {
        error.code() == code
    }

    /// The value, for several blocks.
    #[doc(hidden)]
    #[inline]
    pub fn several<'v, V: Shared>(&self, value: &'v V) -> Several<'v, V> {
        Several::new(value)
    }

    /// Notes the failure of one block of a `step_any`.
    #[doc(hidden)]
    pub fn failed(&self, error: Error, failed: &mut Vec<Error>) -> Result<()> {
        if error.is_final() {
            return Err(error);
        }
        failed.push(error);
        Ok(())
    }

    /// Every block of a `step_any` failed.
    #[doc(hidden)]
    pub fn all_failed<O>(&self, failed: Vec<Error>) -> Result<O> {
        Err(none_succeeded("step_any", failed))
    }

    /// No arm of a `branch` took the value.
    #[doc(hidden)]
    pub fn no_branch<O>(&self) -> Result<O> {
        Err(Error::with_code(code::NO_BRANCH, "no arm of the `branch` took the value"))
    }

    /// A loop ran as often as it may.
    #[doc(hidden)]
    pub fn loop_limit<O>(&self, method: &str, block: &str, most: u32) -> Result<O> {
        let text = format!("`{method}` has run `{block}` {most} times, which is its limit");
        Err(Error::with_code(code::LOOP_LIMIT, text))
    }

    /// A failure as what may be rescued; a suspension or a cancellation goes on.
    #[doc(hidden)]
    pub fn rescuable(&self, error: Error) -> Result<Error> {
        if error.is_final() { Err(error) } else { Ok(self.seq.scope.named(error)) }
    }

    /// The error of a `throw_if`.
    #[doc(hidden)]
    pub fn throw<E: Thrown>(&self, error: E) -> Result<()> {
        Err(convert(error))
    }

    /// The same, from a function of the value.
    #[doc(hidden)]
    pub fn throw_by<V, E>(&self, value: &V, error: impl FnOnce(&V, &C) -> E) -> Result<()>
    where
        E: Thrown,
    {
        Err(convert(error(value, self.seq.ctx)))
    }
}

/// A list of them, some of which may be behind a `#[cfg(…)]`.
#[doc(hidden)]
pub fn list<T, const N: usize>(all: [T; N]) -> Vec<T> {
    all.into()
}

/// A chain with rescues: its panics, too, are failures.
#[doc(hidden)]
pub async fn rescued<T>(chain: impl Future<Output = Result<T>> + Send) -> Result<T> {
    guarded(chain).await
}

/// How often `do_until` and `do_while` run a block where nothing else is said.
#[doc(hidden)]
pub const PASSES: u32 = 250;
