//! `wait_for_condition`: until the items of the request are as a predicate wants them.

use std::fmt;
use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Site, Steps};
use crate::item::{Change, Item, Items};
use crate::scope::Scope;
use crate::state::Cells;

/// How a `wait_for_condition` ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Waited {
    /// Whether the time was over before the condition held.
    pub timed_out: bool,
}

impl Waited {
    /// As it is in a test of the block that is given it.
    #[must_use]
    pub const fn new(timed_out: bool) -> Self {
        Self { timed_out }
    }
}

/// An async sequencer that waits for items: its requests keep them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not wait in its own body, so no items are kept for it",
    label = "only a helper of `{Self}` waits here",
    note = "call `ctx.wait_for_condition(…)` in the body of `{Self}`; where that does, its helpers can too"
)]
pub trait Waits {}

impl<C: Sync, X: Cells> Site<'_, C, X> {
    /// Waits until the items of the request are as the predicate wants them, or the time is over; the value becomes
    /// `(value, `[`Waited`]`)`.
    ///
    /// `wait_for_condition(|items| …, timeout = "5s", wake_on = |item, change| …)`. The predicate is asked at once, then
    /// after each event of an item that `wake_on` lets through; without it after each. What it is shown are all
    /// [`Items`] of the request so far.
    pub fn wait_for_condition<V: Send>(
        &self,
        value: V,
        timeout: Duration,
        mut predicate: impl FnMut(&Items, &C) -> bool + Send,
        wake_on: impl FnMut(&Item, Change) -> bool + Send,
    ) -> impl Future<Output = (V, Waited)> + Send {
        async move {
            let ctx = self.seq.ctx;
            let waited =
                until(self.seq.scope, timeout, |items| predicate(items, ctx), wake_on).await;
            (value, waited)
        }
    }
}

impl<'a, Owner> Steps<'a, Owner> {
    /// Waits until the items of the request are as the predicate wants them, or the time is over.
    ///
    /// `ctx.wait_for_condition(|items| …, Duration::from_secs(5)).await`, with `.wake_on(|item, change| …)` before the
    /// `await` to say after which events the predicate is asked again.
    pub fn wait_for_condition<P>(&self, predicate: P, timeout: Duration) -> Waiting<'a, P>
    where
        Owner: Waits,
        P: FnMut(&Items) -> bool + Send + 'a,
    {
        Waiting { scope: self.scope(), timeout, predicate, wake_on: |_, _| true }
    }
}

/// What is about to wait; it does when it is awaited.
#[must_use = "it waits when it is awaited"]
pub struct Waiting<'a, P, W = fn(&Item, Change) -> bool> {
    scope: &'a Arc<Scope>,
    timeout: Duration,
    predicate: P,
    wake_on: W,
}

impl<'a, P> Waiting<'a, P> {
    /// After which events the predicate is asked again.
    pub fn wake_on<W>(self, wake_on: W) -> Waiting<'a, P, W>
    where
        W: FnMut(&Item, Change) -> bool + Send + 'a,
    {
        let Self { scope, timeout, predicate, .. } = self;
        Waiting { scope, timeout, predicate, wake_on }
    }
}

#[diagnostic::do_not_recommend]
impl<'a, P, W> IntoFuture for Waiting<'a, P, W>
where
    P: FnMut(&Items) -> bool + Send + 'a,
    W: FnMut(&Item, Change) -> bool + Send + 'a,
{
    type Output = Waited;
    type IntoFuture = Pin<Box<dyn Future<Output = Waited> + Send + 'a>>;
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(until(self.scope, self.timeout, self.predicate, self.wake_on))
    }
}

impl<P, W> fmt::Debug for Waiting<'_, P, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Waiting").field(&self.timeout).finish()
    }
}

async fn until(
    scope: &Arc<Scope>,
    timeout: Duration,
    mut holds: impl FnMut(&Items) -> bool,
    mut wake_on: impl FnMut(&Item, Change) -> bool,
) -> Waited {
    // a copy that takes each event in when its turn has come: the predicate sees every state, and runs outside of locks
    let (mut items, mut events) = scope.follow();
    if holds(&items) {
        return Waited::new(false);
    }
    let wait = async {
        while let Some(event) = events.recv().await {
            if let Some((item, change)) = items.take(&event)
                && wake_on(item, change)
                && holds(&items)
            {
                return;
            }
        }
        pending::<()>().await;
    };
    Waited::new(tokio::time::timeout(timeout, wait).await.is_err())
}
