//! `side_chain`, `side_chain_if`, `for_each_side_chain`, `wait_for_side_chain`: work that the chain does not wait for.

use std::sync::Arc;
use std::time::Duration;

use super::each::Many;
use super::pool::{self, Queue};
use super::{Site, StepOf, Steps};
use crate::block::{Block, IntoBlock, Takes, dispatch};
use crate::error::{Result, TimeoutError};
use crate::scope::{At, Link, Place, Scope};
use crate::state::Cells;
use crate::sync::Mutex;

/// How many items of a `for_each_side_chain` run at once where nothing else is said.
const CONCURRENCY: usize = 16;

impl<C, X: Cells> Site<'_, C, X> {
    /// Queues a block with the value, and goes on; the value stays as it is.
    ///
    /// `side_chain(block)`, `side_chain(|value| …, block)`. The block runs in the request, which ends only when it has.
    /// Its failure is logged, and changes nothing; [`wait_for_side_chain`](Self::wait_for_side_chain) can ask for it.
    pub fn side_chain<V, B: Takes<V>>(&self, value: V, block: B) {
        self.side_chain_value(value, block);
    }

    /// As [`side_chain`](Self::side_chain), for a block that is an expression.
    #[doc(hidden)]
    pub fn side_chain_value<B: Block>(&self, value: B::Input, block: B) {
        queue(self.seq.scope, self.link.place(), block, value);
    }

    /// Queues a block for each item of the value, at most 16 at once, and goes on; the value stays as it is.
    ///
    /// `for_each_side_chain(block)`, `for_each_side_chain(|value| …, block, max_concurrency = 4)`. An item's failure
    /// stops no other.
    pub fn for_each_side_chain<V, B>(&self, value: V, block: B, limit: Option<usize>)
    where
        V: Many,
        B: Takes<V::Item>,
    {
        self.for_each_side_chain_value(value, block, limit);
    }

    /// As [`for_each_side_chain`](Self::for_each_side_chain), for a block that is an expression.
    #[doc(hidden)]
    pub fn for_each_side_chain_value<B: Block>(
        &self,
        value: impl Many<Item = B::Input>,
        block: B,
        limit: Option<usize>,
    ) {
        let (scope, place, items) = (self.seq.scope.clone(), self.link.place(), value.items());
        let limit = limit.unwrap_or(CONCURRENCY).max(1);
        self.seq.scope.queue(async move {
            let failed = Mutex::new(None);
            let run = |lane, item| {
                let (block, scope, failed) = (&block, &scope, &failed);
                async move {
                    if let Err(error) = one(block, item, scope, lane, place).await {
                        failed.lock().get_or_insert(error);
                    }
                    Ok(())
                }
            };
            pool::here(&Queue::new(items), limit, run).await?;
            failed.into_inner().map_or(Ok(()), Err)
        });
    }

    /// Waits for the work that this sequencer has queued; the value stays as it is.
    ///
    /// `wait_for_side_chain()`, `wait_for_side_chain(fail_on_error = true, timeout = "5s")`.
    ///
    /// # Errors
    /// The first failure since the last wait, where `fail_on_error` is set; `timeout` where it takes longer. The work
    /// goes on then.
    pub fn wait_for_side_chain(
        &self,
        fail_on_error: bool,
        timeout: Option<Duration>,
    ) -> impl Future<Output = Result<()>> + Send {
        let scope = self.seq.scope;
        async move { wait(scope, fail_on_error, timeout).await }
    }
}

impl<Owner> Steps<'_, Owner> {
    /// Queues one of the sequencer's blocks, and goes on: it runs in the request, which ends only when it has. Its
    /// failure is logged, and changes nothing.
    pub fn side_chain<B>(&self, block: B, input: <B::Block as Block>::Input)
    where
        B: IntoBlock,
        B::Block: StepOf<Owner>,
    {
        queue(self.scope(), self.next().place(), block.into_block(), input);
    }

    /// Waits for the work that this sequencer has queued.
    ///
    /// # Errors
    /// The first failure since the last wait, where `fail_on_error` is set.
    pub fn wait_for_side_chain(
        &self,
        fail_on_error: bool,
    ) -> impl Future<Output = Result<()>> + Send {
        let scope = self.scope();
        async move { wait(scope, fail_on_error, None).await }
    }
}

fn queue<B: Block>(scope: &Arc<Scope>, place: Place, block: B, input: B::Input) {
    let own = scope.clone();
    scope.queue(async move {
        let link = Link::under(&own, place);
        dispatch(&block, input, At::new(&link)).await.map(drop)
    });
}

async fn wait(scope: &Arc<Scope>, fail_on_error: bool, timeout: Option<Duration>) -> Result<()> {
    let Some(side) = scope.side() else { return Ok(()) };
    match timeout {
        None => side.idle().await,
        Some(most) => {
            let waited = tokio::time::timeout(most, side.idle()).await;
            waited.map_err(|_| TimeoutError::new(most))?;
        }
    }
    match side.take_failure() {
        Some(error) if fail_on_error => Err(error),
        _ => Ok(()),
    }
}

async fn one<B: Block>(
    block: &B,
    item: B::Input,
    scope: &Arc<Scope>,
    lane: u32,
    place: Place,
) -> Result<B::Output> {
    let link = Link::under(scope, Place { lane: Some(lane), ..place });
    dispatch(block, item, At::new(&link)).await
}
