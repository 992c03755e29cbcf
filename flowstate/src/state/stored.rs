//! State that outlives its block: what a request sees of it, and its asynchronous writes.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::State;
use super::cell::{Cell, Done, Tell};
use crate::error::{Result, StateError};
use crate::sync::Mutex;

/// One request's view of a state that outlives it.
pub struct StoredCell<S> {
    home: Arc<Cell<S>>,
    seen: Mutex<Arc<S>>,
}

impl<S: State> StoredCell<S> {
    /// A view of what is kept in `home`, as it is now.
    pub(crate) fn new(home: Arc<Cell<S>>) -> Self {
        let seen = Mutex::new(home.snapshot());
        Self { home, seen }
    }

    /// The value as this request last saw it.
    pub(crate) fn seen(&self) -> Arc<S> {
        self.seen.lock().clone()
    }

    fn look(&self) {
        // locked first, so that of two writers the later one's view stays
        let mut seen = self.seen.lock();
        *seen = self.home.snapshot();
    }

    pub(super) fn write<'a, T: Tell<S>, R: Send + 'a>(
        &'a self,
        op: impl FnOnce(&mut S) -> Result<Done<R>, StateError> + Send + 'a,
    ) -> Write<'a, R> {
        Write::new(async move {
            let result = self.home.write::<T, R>(op)?;
            self.look();
            Ok(result)
        })
    }

    pub(super) fn change<'a, T: Tell<S>, V: 'a, R: Send + 'a>(
        &'a self,
        copy: impl FnOnce(&S) -> V + Send + 'a,
        change: impl FnMut(&mut V) -> Result<R> + Send + 'a,
        same: impl FnOnce(&S, &V) -> bool + Send + 'a,
        check: impl FnOnce(&V) -> Result<(), StateError> + Send + 'a,
        store: impl FnOnce(&mut S, V) + Send + 'a,
    ) -> Write<'a, Done<R>> {
        Write::new(async move {
            let done = self.home.change::<T, V, R>(copy, change, same, check, store)?;
            self.look();
            Ok(done)
        })
    }
}

impl<S> fmt::Debug for StoredCell<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredCell").finish_non_exhaustive()
    }
}

/// A write to state that outlives its block; it happens when it is awaited.
#[must_use = "a write to stored state happens when it is awaited"]
pub struct Write<'a, T>(Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>);

impl<'a, T> Write<'a, T> {
    pub(super) fn new(write: impl Future<Output = Result<T>> + Send + 'a) -> Self {
        Self(Box::pin(write))
    }
}

impl<T> Future for Write<'_, T> {
    type Output = Result<T>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for Write<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Write").finish_non_exhaustive()
    }
}
