//! What an app keeps for its sessions, users and organisations.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt as _;

use super::request::Any1;
use crate::error::{Result, StoreError};
use crate::port::{Key, MemoryStore, Store};
use crate::schema::Reach;
use crate::state::{Cell, Slot, State};
use crate::sync::{Held, Mutex, Shared};

type Shelf = Mutex<HashMap<TypeId, Any1>>;
/// Shelves, and when each was looked at last.
type Memory = HashMap<(Reach, String), (u64, Arc<Shelf>)>;

/// What is known of a session is kept under this key, beside its states.
pub(crate) const SESSION_RECORD: &str = "!session";

/// How many sessions, users and organisations are kept in memory.
pub(super) const MOST: usize = 10_000;

/// What an app keeps for its sessions, users and organisations: in memory, or in a store.
pub(crate) struct Keeper {
    memory: Mutex<Memory>,
    /// How many there are in memory.
    most: usize,
    /// Counts the looks into memory: what was looked at long ago gives way.
    looks: AtomicU64,
    store: Option<Arc<dyn Store>>,
    /// Where the app notes what sessions there are: the store, or one in memory.
    records: Arc<dyn Store>,
    slots: Shared<Key, Slot>,
}

impl Default for Keeper {
    fn default() -> Self {
        Self::new(None, MOST)
    }
}

impl Keeper {
    pub(super) fn new(store: Option<Arc<dyn Store>>, most: usize) -> Self {
        let records = store.clone().unwrap_or_else(|| Arc::new(MemoryStore::new()));
        let (memory, looks) = (Mutex::default(), AtomicU64::new(0));
        Self { memory, most, looks, store, records, slots: Shared::default() }
    }

    /// Whether what outlives a request is in a store, not in memory.
    pub(super) fn is_stored(&self) -> bool {
        self.store.is_some()
    }

    /// Where the app keeps what it notes itself of a session or user.
    pub(crate) fn record(
        &self,
        reach: Reach,
        id: &str,
        what: impl Into<Cow<'static, str>>,
    ) -> Slot {
        Slot::new(self.records.clone(), Key::new(reach, id, what))
    }

    /// Forgets all of a session.
    pub(crate) async fn remove(&self, id: &str) -> Result<()> {
        self.memory.lock().remove(&(Reach::Session, id.to_owned()));
        let done = self.records.remove(Reach::Session, id).await;
        done.map_err(|error| {
            StoreError::new(format!("the session {id:?} could not be removed"), error).into()
        })
    }

    pub(super) fn shelf(&self, reach: Reach, id: &str) -> Arc<Shelf> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let key = (reach, id.to_owned());
        let mut memory = self.memory.lock();
        if memory.len() >= self.most && !memory.contains_key(&key) {
            self.make_room(&mut memory);
        }
        let place = memory.entry(key).or_default();
        place.0 = look;
        place.1.clone()
    }

    /// Forgets the eighth that was looked at longest ago, but nothing that a request has open.
    fn make_room(&self, memory: &mut Memory) {
        let unused = |shelf: &Arc<Shelf>| {
            Arc::strong_count(shelf) == 1
                && shelf.lock().values().all(|cell| Arc::strong_count(cell) == 1)
        };
        let mut old: Vec<_> = memory
            .iter()
            .filter(|(_, (_, shelf))| unused(shelf))
            .map(|(key, (look, _))| (*look, key.clone()))
            .collect();
        old.sort_unstable_by_key(|(look, _)| *look);
        old.truncate((self.most / 8).max(1));
        tracing::debug!(count = old.len(), "the app forgets what it has kept in memory longest");
        for (_, key) in old {
            memory.remove(&key);
            // (in memory it is done at once)
            let _ = self.records.remove(key.0, &key.1).now_or_never();
        }
    }

    /// Whether a session may still be there.
    pub(crate) fn knows(&self, session: &str) -> bool {
        let key = (Reach::Session, session.to_owned());
        self.is_stored() || self.memory.lock().contains_key(&key)
    }

    /// Where the app's store keeps a state, if it has a store.
    pub(crate) fn slot<S: State>(&self, reach: Reach, id: &str) -> Option<Arc<Held<Key, Slot>>> {
        let store = self.store.as_ref()?;
        let key = Key::new(reach, id, S::DEF.key);
        Some(self.slots.get(&key, || Slot::new(store.clone(), key.clone())))
    }

    /// The container of a state that is kept in memory.
    pub(crate) fn home<S: State>(&self, reach: Reach, id: &str) -> Arc<Cell<S>> {
        home(&self.shelf(reach, id))
    }
}

fn home<S: State>(shelf: &Shelf) -> Arc<Cell<S>> {
    let found = shelf.lock().get(&TypeId::of::<S>()).cloned();
    let cell = found.unwrap_or_else(|| {
        // made outside of the lock, since a default is the user's code
        let new = Arc::new(Cell::new(S::default()));
        shelf.lock().entry(TypeId::of::<S>()).or_insert(new).clone()
    });
    cell.downcast().unwrap_or_else(|_| unreachable!("a shelf is keyed by the state's type"))
}
