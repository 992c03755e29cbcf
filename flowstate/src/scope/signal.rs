//! Tells when a request is cancelled, or a step is aborted.

use std::fmt;
use std::iter::successors;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::select_all;
use tokio::sync::watch;

/// Tells when a request is cancelled, or a step around the block is aborted; for tasks of one's own, since a block itself
/// is dropped then. It can be awaited.
#[derive(Clone)]
pub struct Signal {
    own: watch::Sender<bool>,
    /// That of what is around this.
    around: Option<Arc<Self>>,
}

impl Default for Signal {
    fn default() -> Self {
        Self { own: watch::Sender::new(false), around: None }
    }
}

impl Signal {
    /// One that tells of this, and of something further in.
    pub(super) fn inside(self) -> Self {
        Self { around: Some(Arc::new(self)), ..Self::default() }
    }

    pub(super) fn cancel(&self) {
        self.own.send_replace(true);
    }

    fn levels(&self) -> impl Iterator<Item = &Self> {
        successors(Some(self), |signal| signal.around.as_deref())
    }

    /// Whether the request was cancelled, or a step around the block aborted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.levels().any(|signal| *signal.own.borrow())
    }

    /// Returns when the request is cancelled, or a step around the block aborted.
    pub async fn cancelled(&self) {
        // the senders are here, so no wait ends otherwise
        let wait = |signal: &Self| {
            let mut own = signal.own.subscribe();
            Box::pin(async move { own.wait_for(|cancelled| *cancelled).await.is_ok() })
        };
        select_all(self.levels().map(wait)).await;
    }
}

impl IntoFuture for Signal {
    type Output = ();
    type IntoFuture = Pin<Box<dyn Future<Output = ()> + Send>>;
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.cancelled().await })
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signal").field(&self.is_cancelled()).finish()
    }
}
