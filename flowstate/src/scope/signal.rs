//! Tells when a request is cancelled.

use std::fmt;

use tokio::sync::watch;

/// Tells when a request is cancelled; for tasks of one's own, since a block itself is dropped then.
#[derive(Clone)]
pub struct Signal(watch::Sender<bool>);

impl Default for Signal {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Signal {
    pub(super) fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether the request was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when the request is cancelled.
    pub async fn cancelled(&self) {
        // the sender is here, so the wait does not end otherwise
        let _ = self.0.subscribe().wait_for(|cancelled| *cancelled).await;
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signal").field(&self.is_cancelled()).finish()
    }
}
