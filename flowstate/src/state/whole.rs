//! A whole state of a handle: what `ctx.self_` itself can do.

use std::fmt;
use std::ops::Deref;

use super::cell::{Any, Done};
use super::stored::Write;
use super::{Access, State, access};
use crate::error::Result;

/// State that may be written; a router's may not.
#[diagnostic::on_unimplemented(
    message = "a router can read state but not write it",
    label = "a write, in a router",
    note = "a router may be asked again: put the write in a step before it, `.tap(|_, ctx| ctx.self_…)`, on the sequencer"
)]
pub trait Writable {}

#[diagnostic::do_not_recommend]
impl Writable for access::ReadWrite {}

/// A whole state of a handle, and after it the other states that the handle has.
pub struct Tail<'a, A: Access, S: State, R> {
    at: A::Ref<'a, S>,
    rest: R,
}

impl<'a, A: Access, S: State, R> Tail<'a, A, S, R> {
    #[doc(hidden)]
    #[inline]
    pub fn new(at: A::Ref<'a, S>, rest: R) -> Self {
        Self { at, rest }
    }

    #[doc(hidden)]
    #[inline]
    pub fn at(&self) -> A::Ref<'a, S> {
        self.at
    }
}

impl<A: Access, S: State, R: Clone> Clone for Tail<'_, A, S, R> {
    fn clone(&self) -> Self {
        Self { at: self.at, rest: self.rest.clone() }
    }
}

impl<A: Access, S: State, R: Copy> Copy for Tail<'_, A, S, R> {}

impl<A: Access, S: State, R> fmt::Debug for Tail<'_, A, S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({})", S::DEF.name)
    }
}

impl<A: Access, S: State, R> Deref for Tail<'_, A, S, R> {
    type Target = R;
    fn deref(&self) -> &R {
        &self.rest
    }
}

impl<W: 'static, S: State, R> Tail<'_, access::Local<W>, S, R> {
    /// A copy of the state.
    #[must_use]
    pub fn get(&self) -> S {
        self.at.peek(S::clone)
    }

    /// What `read` makes of the state, without a copy; writes meanwhile do not show.
    pub fn with<T>(&self, read: impl FnOnce(&S) -> T) -> T {
        read(&self.at.snapshot())
    }

    /// How many writes have changed the state so far.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.at.version()
    }

    /// Replaces the state; `false` where it is the same.
    ///
    /// # Errors
    /// `state_rejected` by a `validate` function, `state_reentrant` inside an update of the same state.
    pub fn set(&self, value: S) -> Result<bool>
    where
        W: Writable,
    {
        value.validate()?;
        self.at.write::<Any, _>(|state| {
            let changed = !state.same(&value);
            if changed {
                *state = value;
            }
            Ok(Done { changed, result: changed })
        })
    }

    /// Changes any fields at once, all or nothing: a panic in the function leaves the old state.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn update(&self, change: impl FnOnce(&mut S)) -> Result<bool>
    where
        W: Writable,
    {
        Ok(self
            .changed(|state| {
                change(state);
                Ok(())
            })?
            .changed)
    }

    /// As [`update`](Self::update), and gives what the function returns.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn modify<T>(&self, change: impl FnOnce(&mut S) -> T) -> Result<T>
    where
        W: Writable,
    {
        Ok(self.changed(|state| Ok(change(state)))?.result)
    }

    /// As [`modify`](Self::modify); where the function returns an error, nothing is changed.
    ///
    /// # Errors
    /// The function's own, and as [`set`](Self::set).
    pub fn try_modify<T>(&self, change: impl FnOnce(&mut S) -> Result<T>) -> Result<T>
    where
        W: Writable,
    {
        Ok(self.changed(change)?.result)
    }

    fn changed<T>(&self, change: impl FnOnce(&mut S) -> Result<T>) -> Result<Done<T>> {
        self.at.change::<Any, _, _>(S::clone, change, S::same, S::validate, |state, value| {
            *state = value;
        })
    }
}

impl<'a, W: 'static, S: State, R> Tail<'a, access::Stored<W>, S, R> {
    /// A copy of the state, as this request last saw it.
    #[must_use]
    pub fn get(&self) -> S {
        S::clone(&self.at.seen())
    }

    /// What `read` makes of the state, as this request last saw it.
    pub fn with<T>(&self, read: impl FnOnce(&S) -> T) -> T {
        read(&self.at.seen())
    }

    /// Replaces the state; `false` where it is the same. Of two writers the last one wins.
    ///
    /// # Errors
    /// `state_rejected` by a `validate` function, `state_reentrant` inside an update of the same state.
    pub fn set(&self, value: S) -> Write<'a, bool>
    where
        W: Writable,
    {
        self.update(move |state| state.clone_from(&value))
    }

    /// Changes any fields at once, all or nothing. It may be called again when another writer was faster.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn update<'w>(&self, mut change: impl FnMut(&mut S) + Send + 'w) -> Write<'w, bool>
    where
        W: Writable,
        'a: 'w,
    {
        let changed = self.changed(move |state| {
            change(state);
            Ok(())
        });
        Write::new(async move { Ok(changed.await?.changed) })
    }

    /// As [`update`](Self::update), and gives what the function returned in the end.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn modify<'w, T: Send + 'w>(
        &self,
        mut change: impl FnMut(&mut S) -> T + Send + 'w,
    ) -> Write<'w, T>
    where
        W: Writable,
        'a: 'w,
    {
        self.try_modify(move |state| Ok(change(state)))
    }

    /// As [`modify`](Self::modify); where the function returns an error, nothing is changed.
    ///
    /// # Errors
    /// The function's own, and as [`set`](Self::set).
    pub fn try_modify<'w, T: Send + 'w>(
        &self,
        change: impl FnMut(&mut S) -> Result<T> + Send + 'w,
    ) -> Write<'w, T>
    where
        W: Writable,
        'a: 'w,
    {
        let changed = self.changed(change);
        Write::new(async move { Ok(changed.await?.result) })
    }

    fn changed<'w, T: Send + 'w>(
        &self,
        change: impl FnMut(&mut S) -> Result<T> + Send + 'w,
    ) -> Write<'w, Done<T>>
    where
        'a: 'w,
    {
        self.at.change::<Any, _, _>(S::clone, change, S::same, S::validate, |state, value| {
            *state = value;
        })
    }
}
