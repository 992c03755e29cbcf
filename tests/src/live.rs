//! How many runs of a block are alive, at most were, and have begun: a service for the blocks of tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

/// Counts the guards that it gave.
#[derive(Clone)]
pub(crate) struct Live(Arc<Inner>);

struct Inner {
    now: AtomicUsize,
    most: AtomicUsize,
    begun: AtomicUsize,
    arrivals: Semaphore,
}

impl Default for Live {
    fn default() -> Self {
        let zero = AtomicUsize::default;
        let arrivals = Semaphore::new(0);
        Self(Arc::new(Inner { now: zero(), most: zero(), begun: zero(), arrivals }))
    }
}

impl Live {
    /// A run begins; it is alive until the guard is dropped.
    pub(crate) fn enter(&self) -> Alive {
        let now = self.0.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.most.fetch_max(now, Ordering::SeqCst);
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        self.0.arrivals.add_permits(1);
        Alive(self.clone())
    }

    pub(crate) fn alive(&self) -> usize {
        self.0.now.load(Ordering::SeqCst)
    }

    pub(crate) fn most(&self) -> usize {
        self.0.most.load(Ordering::SeqCst)
    }

    pub(crate) fn begun(&self) -> usize {
        self.0.begun.load(Ordering::SeqCst)
    }

    /// Waits for so many further runs to begin.
    pub(crate) async fn arrived(&self, n: u32) {
        self.0.arrivals.acquire_many(n).await.unwrap().forget();
    }
}

pub(crate) struct Alive(Live);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}
