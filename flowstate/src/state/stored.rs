//! State that outlives its block: what a request sees of it, and its asynchronous writes.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::cell::{Any, Cell, Done, Tell};
use super::{Kept, State};
use crate::error::{Result, StateError};
use crate::sync::Mutex;

/// One request's view of a state that outlives it.
pub struct StoredCell<S>(View<S>);

enum View<S> {
    /// Of what the app has in memory.
    Memory { home: Arc<Cell<S>>, seen: Mutex<Arc<S>> },
    /// Of what a store has.
    Kept(Kept<S>),
}

impl<S: State> StoredCell<S> {
    /// A view of what is in `home`, as it is now.
    pub(crate) fn new(home: Arc<Cell<S>>) -> Self {
        let seen = Mutex::new(home.snapshot());
        Self(View::Memory { home, seen })
    }

    /// A view of what is in a store.
    pub(crate) fn kept(kept: Kept<S>) -> Self {
        Self(View::Kept(kept))
    }

    /// The value as this request last saw it.
    pub(crate) fn seen(&self) -> Arc<S> {
        match &self.0 {
            View::Memory { seen, .. } => seen.lock().clone(),
            View::Kept(kept) => kept.seen(),
        }
    }

    /// The value as it is kept now.
    pub(crate) async fn fresh(&self) -> Result<Arc<S>> {
        match &self.0 {
            View::Memory { home, seen } => {
                let mut seen = seen.lock();
                *seen = home.snapshot();
                Ok(seen.clone())
            }
            View::Kept(kept) => kept.fresh().await,
        }
    }

    /// Replaces the value by what `change` makes of it, which checks it, too; run again where another process was faster.
    pub(crate) async fn commit(
        &self,
        change: impl FnMut(&mut S) -> Result<()> + Send,
    ) -> Result<bool> {
        let store = |state: &mut S, value| *state = value;
        let done = self.change::<Any, S, ()>(S::clone, change, S::same, |_| Ok(()), store);
        Ok(done.await?.changed)
    }

    async fn run<R>(&self, mut op: impl FnMut(&Cell<S>) -> Result<R> + Send) -> Result<R> {
        match &self.0 {
            View::Memory { home, seen } => {
                let result = op(home)?;
                // locked first, so that of two writers the later one's view stays
                let mut seen = seen.lock();
                *seen = home.snapshot();
                Ok(result)
            }
            View::Kept(kept) => kept.write(op).await,
        }
    }

    pub(super) fn write<'a, T: Tell<S>, R: Send + 'a>(
        &'a self,
        mut op: impl FnMut(&mut S) -> Result<Done<R>, StateError> + Send + 'a,
    ) -> Write<'a, R> {
        Write::new(self.run(move |cell| cell.write::<T, R>(&mut op)))
    }

    pub(super) fn change<'a, T: Tell<S>, V: 'a, R: Send + 'a>(
        &'a self,
        copy: impl Fn(&S) -> V + Send + 'a,
        mut change: impl FnMut(&mut V) -> Result<R> + Send + 'a,
        same: impl Fn(&S, &V) -> bool + Send + 'a,
        check: impl Fn(&V) -> Result<(), StateError> + Send + 'a,
        store: impl Fn(&mut S, V) + Send + 'a,
    ) -> Write<'a, Done<R>> {
        Write::new(
            self.run(move |cell| cell.change::<T, V, R>(&copy, &mut change, &same, &check, &store)),
        )
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
    pub(crate) fn new(write: impl Future<Output = Result<T>> + Send + 'a) -> Self {
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
