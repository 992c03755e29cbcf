//! One container: a value behind a lock, with a version, that is changed as a whole or not at all.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::{Member, State};
use crate::error::{Result, StateError};
use crate::sync::{Condvar, Mutex, MutexGuard, StaticMutex, thread};

/// A container of one state.
pub struct Cell<S> {
    inner: Mutex<Inner<S>>,
    freed: Condvar,
}

/// A change of a container that somebody watches.
pub(crate) struct Change {
    pub(crate) state: &'static str,
    /// The field; empty where several may have changed.
    pub(crate) field: &'static str,
    pub(crate) delta: Map<String, Json>,
    pub(crate) version: u64,
}

/// Is told of every change, in order.
#[derive(Clone)]
pub struct Watch(Arc<dyn Fn(Change) + Send + Sync>);

impl Watch {
    pub(crate) fn new(tell: impl Fn(Change) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

struct Inner<S> {
    value: Value<S>,
    watch: Option<Watch>,
    version: u64,
    /// The thread whose `update` is running, if one is.
    updating: Option<usize>,
}

/// What a write tells of the fields that it changed.
pub(super) trait Tell<S> {
    /// Whether the state before it is needed.
    const BEFORE: bool;
    /// The field and the new values; `None` where nothing is to be told.
    fn delta(before: Option<&S>, after: &S) -> Option<(&'static str, Map<String, Json>)>;
}

/// One field.
pub(super) struct Of<M>(std::marker::PhantomData<M>);

impl<M: Member> Tell<M::State> for Of<M> {
    const BEFORE: bool = false;
    fn delta(_: Option<&M::State>, after: &M::State) -> Option<(&'static str, Map<String, Json>)> {
        if M::TRANSIENT {
            return None;
        }
        // what is no JSON is left out, and not shown as something that it is not
        let value = serde_json::to_value(M::get(after)).ok();
        Some((M::NAME, value.map(|value| (M::NAME.to_owned(), value)).into_iter().collect()))
    }
}

/// Any fields.
pub(super) struct Any;

impl<S: State> Tell<S> for Any {
    const BEFORE: bool = true;
    fn delta(before: Option<&S>, after: &S) -> Option<(&'static str, Map<String, Json>)> {
        let mut delta = Map::new();
        S::changes(before?, after, &mut delta);
        if delta.is_empty() { None } else { Some(("", delta)) }
    }
}

impl<S: State> Inner<S> {
    /// A write that somebody watches; told under the lock, so in order.
    #[cold]
    fn watched<T: Tell<S>, R>(
        &mut self,
        op: impl FnOnce(&mut S) -> Result<Done<R>, StateError>,
    ) -> Result<R> {
        let before = T::BEFORE.then(|| self.value.get().clone());
        let done = op(self.value.get_mut())?;
        if done.changed {
            self.version += 1;
            if let Some((field, delta)) = T::delta(before.as_ref(), self.value.get())
                && let Some(watch) = &self.watch
            {
                let (state, version) = (S::DEF.name, self.version);
                (watch.0)(Change { state, field, delta, version });
            }
        }
        Ok(done.result)
    }
}

/// Owned while only operations touch it; shared from when somebody looks at it in place until the next write.
enum Value<S> {
    Owned(S),
    Shared(Arc<S>),
    /// Between the two, under the lock.
    Moving,
}

impl<S> Value<S> {
    #[inline]
    fn get(&self) -> &S {
        match self {
            Self::Owned(value) => value,
            Self::Shared(value) => value,
            Self::Moving => unreachable!("the lock is held while a value moves"),
        }
    }

    fn share(&mut self) -> Arc<S> {
        let shared = match std::mem::replace(self, Self::Moving) {
            Self::Owned(value) => Arc::new(value),
            Self::Shared(value) => value,
            Self::Moving => unreachable!("the lock is held while a value moves"),
        };
        *self = Self::Shared(shared.clone());
        shared
    }
}

impl<S: Clone> Value<S> {
    #[inline]
    fn get_mut(&mut self) -> &mut S {
        if !matches!(self, Self::Owned(_)) {
            self.own();
        }
        match self {
            Self::Owned(value) => value,
            _ => unreachable!("it was just made owned"),
        }
    }

    #[cold]
    fn own(&mut self) {
        if let Self::Shared(value) = std::mem::replace(self, Self::Moving) {
            match Arc::try_unwrap(value) {
                Ok(value) => *self = Self::Owned(value),
                Err(value) => {
                    // a clone that panics must leave the value where it was
                    *self = Self::Shared(value.clone());
                    *self = Self::Owned(S::clone(&value));
                }
            }
        }
    }
}

/// What an operation did to the value.
pub(super) struct Done<R> {
    pub(super) changed: bool,
    pub(super) result: R,
}

impl<S: State> Cell<S> {
    /// A container that starts with this value.
    pub(crate) fn new(value: S) -> Self {
        let inner = Inner { value: Value::Owned(value), watch: None, version: 0, updating: None };
        Self { inner: Mutex::new(inner), freed: Condvar::new() }
    }

    /// From here on, changes are told.
    pub(super) fn watch(&mut self, watch: &Watch) {
        self.inner.get_mut().watch = Some(watch.clone());
    }

    /// The value, once nobody else has the container.
    pub(super) fn into_value(self) -> S {
        match self.inner.into_inner().value {
            Value::Owned(value) => value,
            Value::Shared(value) => Arc::unwrap_or_clone(value),
            Value::Moving => unreachable!("the lock is held while a value moves"),
        }
    }

    /// Another value, unless one is at work on it.
    pub(crate) fn replace(&self, value: S) -> Result<()> {
        self.write::<Any, _>(|state| {
            *state = value;
            Ok(Done { changed: true, result: () })
        })
    }

    /// Reads under the lock; `read` must be no user code that could come back here.
    #[inline]
    pub(crate) fn peek<R>(&self, read: impl FnOnce(&S) -> R) -> R {
        read(self.inner.lock().value.get())
    }

    /// How many writes have changed the value.
    pub(crate) fn version(&self) -> u64 {
        self.inner.lock().version
    }

    /// The value as it is now, without a copy; later writes do not show in it.
    pub(crate) fn snapshot(&self) -> Arc<S> {
        self.inner.lock().value.share()
    }

    /// One operation of the crate's own, in place, under the lock. `T` says what changed.
    #[inline]
    pub(super) fn write<T: Tell<S>, R>(
        &self,
        op: impl FnOnce(&mut S) -> Result<Done<R>, StateError>,
    ) -> Result<R> {
        let mut inner = self.inner.lock();
        if inner.updating.is_some() {
            inner = self.wait(inner)?;
        }
        if inner.watch.is_some() {
            return inner.watched::<T, R>(op);
        }
        let done = op(inner.value.get_mut())?;
        inner.version += u64::from(done.changed);
        Ok(done.result)
    }

    /// A change by the user's code: on a copy, outside of the lock, while no other write gets in.
    pub(super) fn change<T: Tell<S>, V, R>(
        &self,
        copy: impl FnOnce(&S) -> V,
        change: impl FnOnce(&mut V) -> Result<R>,
        same: impl FnOnce(&S, &V) -> bool,
        check: impl FnOnce(&V) -> Result<(), StateError>,
        store: impl FnOnce(&mut S, V),
    ) -> Result<Done<R>> {
        let mut inner = self.inner.lock();
        if inner.updating.is_some() {
            inner = self.wait(inner)?;
        }
        let mut value = copy(inner.value.get());
        inner.updating = Some(thread());
        drop(inner);
        let claim = Claim(self);
        let result = change(&mut value)?;
        // nobody else writes meanwhile, so what is compared is what will be replaced
        let changed = !same(self.inner.lock().value.get(), &value);
        if changed {
            check(&value)?;
            let store = |state: &mut S| {
                store(state, value);
                Ok(Done { changed: true, result: () })
            };
            let mut inner = self.inner.lock();
            if inner.watch.is_some() {
                inner.watched::<T, ()>(store)?;
            } else {
                store(inner.value.get_mut())?;
                inner.version += 1;
            }
        }
        drop(claim);
        Ok(Done { changed, result })
    }

    #[cold]
    fn wait<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner<S>>,
    ) -> Result<MutexGuard<'a, Inner<S>>, StateError> {
        let me = thread();
        while let Some(owner) = inner.updating {
            let Some(_waiting) = Waiting::begin(me, owner) else {
                return Err(StateError::Reentrant { state: S::DEF.name });
            };
            self.freed.wait(&mut inner);
        }
        Ok(inner)
    }
}

/// Which thread waits for which, so that two that are in each other's way are told and not left waiting.
static WAITING: StaticMutex<Vec<(usize, usize)>> = StaticMutex::new(Vec::new());

struct Waiting(usize);

impl Waiting {
    /// `None` where the owner is the waiter itself, or waits for it in turn.
    fn begin(me: usize, owner: usize) -> Option<Self> {
        let mut waiting = WAITING.lock();
        let mut next = Some(owner);
        while let Some(thread) = next {
            if thread == me {
                return None;
            }
            next = waiting.iter().find(|(waiter, _)| *waiter == thread).map(|(_, owner)| *owner);
        }
        waiting.push((me, owner));
        Some(Self(me))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.lock().retain(|(waiter, _)| *waiter != self.0);
    }
}

/// Ends an `update`, however it ends.
struct Claim<'a, S>(&'a Cell<S>);

impl<S> Drop for Claim<'_, S> {
    fn drop(&mut self) {
        self.0.inner.lock().updating = None;
        self.0.freed.notify_all();
    }
}

impl<S> std::fmt::Debug for Cell<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cell").finish_non_exhaustive()
    }
}
