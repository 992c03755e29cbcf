//! A state in a store, as one request sees it, and how it is written.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex as Turns;

use super::json::{Read, encode, read};
use super::rules::Unread;
use super::{Cell, State};
use crate::error::{BoxError, Result, StateError, StoreError};
use crate::port::{Key, Record, Store, Swap};
use crate::sync::{Held, Mutex, thread};

/// A slot, as the compiler need not look into it for each block that uses a state of it.
trait HoldsSlot: Send + Sync {
    fn slot(&self) -> &Slot;
}

impl HoldsSlot for Held<Key, Slot> {
    fn slot(&self) -> &Slot {
        self
    }
}

/// How often a write is tried.
const ATTEMPTS: u32 = 4;

/// How often a commit of a contract is.
const COMMITS: u32 = 5;

/// How deep a value may be: JSON is read to a depth of 128, and a store puts some of its own round it.
const DEEPEST: usize = 100;

fn too_deep(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(all) => left == 0 || all.iter().any(|inner| too_deep(inner, left - 1)),
        Value::Object(all) => left == 0 || all.values().any(|inner| too_deep(inner, left - 1)),
        _ => false,
    }
}

/// One value of a store, as all requests of this process share it.
pub(crate) struct Slot {
    store: Arc<dyn Store>,
    key: Key,
    /// Writers of this process, one after the other.
    turns: Turns<()>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The newest that this process has seen.
    latest: Option<Arc<Record>>,
    /// The thread that runs a change of it.
    changing: Option<usize>,
    /// The newest version of a contract of which it was said that it cannot be read.
    told: Option<u64>,
}

impl Slot {
    pub(crate) fn new(store: Arc<dyn Store>, key: Key) -> Self {
        Self { store, key, turns: Turns::default(), known: Mutex::default() }
    }

    /// What the store has.
    pub(crate) async fn load(&self) -> Result<Option<Arc<Record>>> {
        let found = self.store.load(&self.key).await.map_err(|error| self.failed("read", error))?;
        let found = found.map(Arc::new);
        let version = |record: &Option<Arc<Record>>| record.as_ref().map(|record| record.version);
        let latest = &mut self.known.lock().latest;
        // (a write may have been faster than the answer)
        if version(&found) > version(latest) {
            latest.clone_from(&found);
        }
        Ok(found)
    }

    fn latest(&self) -> Option<Arc<Record>> {
        self.known.lock().latest.clone()
    }

    /// Puts a value in the place of what the caller has seen; gives the record that is there then.
    pub(crate) async fn swap(
        &self,
        seen: Option<u64>,
        value: Value,
    ) -> Result<Result<Arc<Record>, Option<Arc<Record>>>> {
        // (nobody could read it again, nor what a store keeps in one place with it)
        if too_deep(&value, DEEPEST) {
            let why = format!("it is nested deeper than {DEEPEST} levels");
            return Err(self.failed("written", why.into()).into());
        }
        let done = self.store.swap(&self.key, seen, value.clone()).await;
        let done = match done.map_err(|error| self.failed("written", error))? {
            Swap::Done(version) => Ok(Arc::new(Record { version, value })),
            Swap::Conflict(found) => Err(found.map(Arc::new)),
        };
        self.known.lock().latest = match &done {
            Ok(new) => Some(new.clone()),
            Err(found) => found.clone(),
        };
        Ok(done)
    }

    /// Writes whatever `new` makes of what is there, in the place of it.
    pub(crate) async fn write(&self, new: impl Fn(Option<&Value>) -> Value) -> Result<()> {
        let mut found = self.load().await?;
        loop {
            let value = new(found.as_ref().map(|found| &found.value));
            match self.swap(found.as_ref().map(|found| found.version), value).await? {
                Ok(_) => return Ok(()),
                Err(newer) => found = newer,
            }
        }
    }

    /// Puts a value that could not be read where nothing writes over it.
    pub(crate) async fn put_aside(&self, value: &Value) -> Result<()> {
        let quarantine = Self::new(self.store.clone(), self.key.quarantine());
        tracing::warn!(
            key = %self.key, kept_as = %quarantine.key,
            "a stored state could not be read; it is put aside, and its default takes its place"
        );
        quarantine
            .write(|found| {
                let mut all = found.and_then(Value::as_array).cloned().unwrap_or_default();
                if all.last() != Some(value) {
                    all.push(value.clone());
                }
                Value::Array(all)
            })
            .await
    }

    /// What [`put_aside`](Self::put_aside) has put aside, oldest first.
    pub(crate) async fn quarantined(&self) -> Result<Vec<Value>> {
        let found = Self::new(self.store.clone(), self.key.quarantine()).load().await?;
        Ok(found.and_then(|found| found.value.as_array().cloned()).unwrap_or_default())
    }

    /// Writes JSON as it is.
    pub(crate) async fn write_raw(&self, value: Value) -> Result<()> {
        let _turn = self.turns.lock().await;
        self.write(|_| value.clone()).await
    }

    /// Says once of each version of a contract that it cannot be read.
    fn tell(&self, state: &str, version: u64, why: &str) {
        let told = self.known.lock().told.replace(version);
        if told != Some(version) {
            tracing::warn!(
                state, key = %self.key, version, why,
                "a stored contract does not hold; its default is read until it is written"
            );
        }
    }

    fn failed(&self, done: &str, error: BoxError) -> StoreError {
        StoreError::new(format!("{} could not be {done}", self.key), error)
    }

    /// Nobody could wait for the caller's own change to end.
    fn not_inside(&self, state: &'static str) -> Result<(), StateError> {
        match self.known.lock().changing {
            Some(owner) if owner == thread() => Err(StateError::Reentrant { state }),
            _ => Ok(()),
        }
    }

    fn changing(&self) -> Changing<'_> {
        self.known.lock().changing = Some(thread());
        Changing(self)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}

/// Ends a change, however it ends.
struct Changing<'a>(&'a Slot);

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.0.known.lock().changing = None;
    }
}

/// What a request sees of a value in a store.
pub(crate) struct Kept<S> {
    slot: Arc<dyn HoldsSlot>,
    seen: Mutex<Seen<S>>,
}

struct Seen<S> {
    value: Arc<S>,
    record: Option<Arc<Record>>,
    /// Whether the record could not be read.
    broken: bool,
    /// Whether it was mended, so that what it says beside the state's fields counts no more.
    mended: bool,
}

impl<S> Clone for Seen<S> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), record: self.record.clone(), ..*self }
    }
}

impl<S: State> Seen<S> {
    /// What a record says; what a store does not keep is as in `now`.
    fn of(slot: &Slot, record: Option<Arc<Record>>, now: &S) -> Result<Self, StateError> {
        let (mut value, mut broken, mut mended) = (Arc::default(), false, false);
        if let Some(record) = &record {
            match read(&record.value, now) {
                Ok(Read { state, mended: was }) => (value, mended) = (Arc::new(state), was),
                Err(Unread::Newer { stored, known }) => {
                    return Err(StateError::Newer { state: S::DEF.name, stored, known });
                }
                Err(Unread::Broken(why)) => {
                    broken = true;
                    if S::RULES.is_some() {
                        slot.tell(S::DEF.name, record.version, &why);
                    }
                }
            }
        }
        Ok(Self { value, record, broken, mended })
    }

    fn version(&self) -> Option<u64> {
        self.record.as_ref().map(|record| record.version)
    }
}

impl<S: State> Kept<S> {
    /// What the store has now.
    pub(crate) async fn load(slot: Arc<Held<Key, Slot>>) -> Result<Self> {
        let record = slot.load().await?;
        let seen = Mutex::new(Seen::of(&slot, record, &S::default())?);
        Ok(Self { slot, seen })
    }

    pub(crate) fn seen(&self) -> Arc<S> {
        self.seen.lock().value.clone()
    }

    /// What the next write is made on: the newest that this process has seen.
    fn newest(&self) -> Result<Seen<S>, StateError> {
        let (now, latest) = (self.seen.lock().clone(), self.slot.slot().latest());
        if latest.as_ref().map(|record| record.version) == now.version() {
            return Ok(now);
        }
        let newest = Seen::of(self.slot.slot(), latest, &*now.value)?;
        *self.seen.lock() = newest.clone();
        Ok(newest)
    }

    /// What the store has now.
    pub(super) async fn fresh(&self) -> Result<Arc<S>> {
        self.slot.slot().load().await?;
        Ok(self.newest()?.value)
    }

    /// Runs an operation on a copy of the newest value, and keeps what it made of it; where another process was faster, once
    /// more.
    pub(super) async fn write<R>(&self, mut op: impl FnMut(&Cell<S>) -> Result<R>) -> Result<R> {
        self.slot.slot().not_inside(S::DEF.name)?;
        let _turn = self.slot.slot().turns.lock().await;
        let attempts = if S::RULES.is_some() { COMMITS } else { ATTEMPTS };
        for attempt in 1..=attempts {
            let before = self.newest()?;
            let cell = Cell::new(S::clone(&before.value));
            let result = {
                let _changing = self.slot.slot().changing();
                op(&cell)?
            };
            if cell.version() == 0 {
                return Ok(result);
            }
            let after = cell.into_value();
            let kept = before.record.as_ref().filter(|_| !before.broken && !before.mended);
            let kept = kept.map(|record| &record.value);
            let json = encode(&*before.value, &after, kept)?;
            let same = match kept {
                Some(kept) => *kept == json,
                None => encode(&*before.value, &before.value, None)? == json,
            };
            let mut record = before.record.clone();
            // (a transient field alone may have changed)
            if !same {
                if let (true, Some(broken)) = (before.broken, &record) {
                    self.slot.slot().put_aside(&broken.value).await?;
                }
                match self.slot.slot().swap(before.version(), json).await? {
                    Ok(new) => record = Some(new),
                    Err(_) if attempt < attempts => {
                        tokio::time::sleep(Duration::from_millis(5 << attempt)).await;
                        self.slot.slot().load().await?;
                        continue;
                    }
                    Err(_) => break,
                }
            }
            let (broken, mended) = (same && before.broken, same && before.mended);
            *self.seen.lock() = Seen { value: Arc::new(after), record, broken, mended };
            return Ok(result);
        }
        Err(StateError::Concurrent { state: S::DEF.name, attempts }.into())
    }
}
