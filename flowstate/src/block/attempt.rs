//! `timeout` and `retry`: how long one attempt at a block may take, and how many there are.

use std::marker::PhantomData;
use std::time::Duration;

use futures_util::future::Either;

use super::Block;
use crate::error::{Error, Result, TimeoutError, guarded};
use crate::scope::At;
use crate::state::Cells;

/// The options `timeout` and `retry` of a block.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Attempts {
    /// How many attempts there are at most; 0 where nothing is said: then there is one.
    pub max: u32,
    /// How long to wait before the second; twice as long before each further one.
    pub base: Duration,
    /// How long to wait at most.
    pub max_delay: Duration,
    /// Which failures are tried again; any that may pass where it is empty.
    pub on: &'static [fn(&Error) -> bool],
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// Says `max`, `base` and `max_delay` at run time, by a configuration.
    pub retry_by: Option<fn() -> Self>,
    /// Says `timeout` at run time.
    pub timeout_by: Option<fn() -> Self>,
}

/// A `timeout` that a configuration says.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `timeout` is a `Duration` or an `Option<Duration>`, not `{Self}`",
    label = "this is `{Self}`"
)]
pub trait IsTimeout {
    fn timeout(self) -> Option<Duration>;
}

impl IsTimeout for Duration {
    fn timeout(self) -> Option<Duration> {
        Some(self)
    }
}

impl IsTimeout for Option<Duration> {
    fn timeout(self) -> Option<Duration> {
        self
    }
}

/// How a block is tried: the way in for whoever dispatches it.
#[doc(hidden)]
pub trait Attempt {
    /// Runs it.
    fn attempt<'a, B: Block, X: Cells>(
        block: &'a B,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> impl Future<Output = Result<B::Output>> + Send;
}

/// One attempt, without an end.
#[doc(hidden)]
#[derive(Debug)]
pub struct Once;

impl Attempt for Once {
    #[inline]
    fn attempt<'a, B: Block, X: Cells>(
        block: &'a B,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> impl Future<Output = Result<B::Output>> + Send {
        block.run_in(input, at, cells)
    }
}

/// What a block and its capabilities say.
#[doc(hidden)]
pub trait Says {
    /// `None` where there is one attempt, without an end.
    const ATTEMPTS: Option<Attempts>;
}

/// As often and as long as `S` says.
#[doc(hidden)]
#[derive(Debug)]
pub struct AsSaid<S>(PhantomData<S>);

impl<S: Says> Attempt for AsSaid<S> {
    fn attempt<'a, B: Block, X: Cells>(
        block: &'a B,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> impl Future<Output = Result<B::Output>> + Send {
        match S::ATTEMPTS {
            None => Either::Left(block.run_in(input, at, cells)),
            Some(attempts) => Either::Right(Box::pin(async move {
                attempts.chosen().run(input, |input| block.run_in(input, at, cells)).await
            })),
        }
    }
}

impl Attempts {
    /// Those of a block that says nothing.
    pub const NONE: Self = Self {
        max: 0,
        base: Duration::ZERO,
        max_delay: Duration::ZERO,
        on: &[],
        timeout: None,
        retry_by: None,
        timeout_by: None,
    };

    /// What a block says, and then its capabilities; `None` where there is one attempt, without an end.
    #[must_use]
    pub const fn all(self, used: &[Option<Self>]) -> Option<Self> {
        let (mut all, mut i) = (self, 0);
        while i < used.len() {
            if let Some(other) = used[i] {
                let retry = if all.max == 0 { other } else { all };
                let Self { timeout, timeout_by, .. } = if all.ends() { all } else { other };
                all = Self { timeout, timeout_by, ..retry };
            }
            i += 1;
        }
        if all.max == 0 && !all.ends() { None } else { Some(all) }
    }

    /// Whether an attempt has an end.
    const fn ends(&self) -> bool {
        self.timeout.is_some() || self.timeout_by.is_some()
    }

    /// With what is only known at run time.
    fn chosen(mut self) -> Self {
        if let Some(by) = self.retry_by {
            let Self { max, base, max_delay, .. } = by();
            self = Self { max, base, max_delay, ..self };
        }
        if let Some(by) = self.timeout_by {
            self.timeout = by().timeout;
        }
        self
    }

    /// Runs a block until it succeeds, or fails for good. What an attempt has begun is dropped before the next.
    async fn run<I: Clone, T, F: Future<Output = Result<T>> + Send>(
        &self,
        input: I,
        run: impl Fn(I) -> F,
    ) -> Result<T> {
        let mut wait = self.base;
        for _ in 1..self.max {
            match self.once(run(input.clone())).await {
                Err(error) if self.again(&error) => {
                    tokio::time::sleep(wait.min(self.max_delay)).await;
                    wait = wait.saturating_mul(2);
                }
                done => return done,
            }
        }
        self.once(run(input)).await
    }

    async fn once<T>(&self, run: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let run = guarded(run);
        match self.timeout {
            None => run.await,
            Some(most) => match tokio::time::timeout(most, run).await {
                Ok(done) => done,
                Err(_) => Err(TimeoutError::new(most).into()),
            },
        }
    }

    fn again(&self, error: &Error) -> bool {
        let listed = self.on.is_empty() || self.on.iter().any(|is| is(error));
        listed && error.may_pass()
    }
}
