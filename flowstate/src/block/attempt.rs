//! `timeout` and `retry`: how long one attempt at a block may take, and how many there are.

use std::time::Duration;

use crate::error::{Error, Result, TimeoutError, guarded};

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
}

impl Attempts {
    /// What is not said here, as it is said elsewhere.
    #[must_use]
    pub fn or(&self, other: Option<&Self>) -> Self {
        let Some(other) = other else { return *self };
        let retry = if self.max == 0 { other } else { self };
        Self { timeout: self.timeout.or(other.timeout), ..*retry }
    }

    /// Runs a block until it succeeds, or fails for good. What an attempt has begun is dropped before the next.
    pub async fn run<I: Clone, T, F: Future<Output = Result<T>> + Send>(
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
