//! Values that many share by a key, each for as long as somebody holds it.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use super::Mutex;

type Table<K, V> = Arc<Mutex<HashMap<K, Weak<Held<K, V>>>>>;

/// Values by key.
pub(crate) struct Shared<K: Hash + Eq, V>(Table<K, V>);

/// A value, as long as it is held.
pub(crate) struct Held<K: Hash + Eq, V> {
    key: K,
    value: V,
    table: Table<K, V>,
}

impl<K: Hash + Eq + Clone, V> Shared<K, V> {
    /// The value of this key, the same for all that hold it at one time.
    pub(crate) fn get(&self, key: &K, new: impl FnOnce() -> V) -> Arc<Held<K, V>> {
        let mut table = self.0.lock();
        if let Some(held) = table.get(key).and_then(Weak::upgrade) {
            return held;
        }
        let held = Arc::new(Held { key: key.clone(), value: new(), table: self.0.clone() });
        table.insert(key.clone(), Arc::downgrade(&held));
        held
    }
}

impl<K: Hash + Eq, V> Default for Shared<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Hash + Eq, V> Held<K, V> {
    pub(crate) fn key(&self) -> &K {
        &self.key
    }
}

impl<K: Hash + Eq, V> Deref for Held<K, V> {
    type Target = V;
    fn deref(&self) -> &V {
        &self.value
    }
}

impl<K: Hash + Eq, V> Drop for Held<K, V> {
    fn drop(&mut self) {
        let mut table = self.table.lock();
        // another may have taken its place meanwhile
        if table.get(&self.key).is_some_and(|held| held.strong_count() == 0) {
            table.remove(&self.key);
        }
    }
}
