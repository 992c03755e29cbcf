//! What tools gave, kept for calls that are the same.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use serde_json::Value;
use tokio::time::Instant;

use super::Answer;
use crate::sync::StaticMutex as Mutex;

/// What a call of a tool is known by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CacheKey {
    /// The name of the block that is the tool.
    pub tool: String,
    /// Where it is declared: module path, name and place. Two blocks of one name are two tools.
    pub declared: &'static str,
    /// Whose calls these are: `session:` and the session's id, with its tenant if it has one, or `request:` and the request's.
    pub scope: String,
    /// The arguments as JSON, with the keys of objects in order, or what the option `key` makes of them.
    pub arguments: String,
}

impl CacheKey {
    pub(crate) fn new(
        tool: &str,
        declared: &'static str,
        scope: String,
        arguments: String,
    ) -> Self {
        Self { tool: tool.to_owned(), declared, scope, arguments }
    }
}

/// Keeps what tools with `cacheable(…)` gave, as JSON. What it fails to do counts as nothing kept, and is logged.
///
/// An app without one keeps what is kept for a session in its store, and what is kept for a request in memory; without a store
/// it keeps the last 5,000 in memory, [`MemoryToolCache`].
pub trait ToolCache: Send + Sync + 'static {
    /// What is kept, if it is not too old.
    fn get<'a>(&'a self, key: &'a CacheKey) -> Answer<'a, Option<Value>>;

    /// Keeps what a call gave for this time, in the place of what was kept.
    fn put<'a>(&'a self, key: &'a CacheKey, output: Value, ttl: Duration) -> Answer<'a, ()>;

    /// Forgets all that the tool of this name gave.
    fn invalidate<'a>(&'a self, tool: &'a str) -> Answer<'a, ()>;

    /// Forgets all that is kept for this [`scope`](CacheKey::scope): its session is deleted.
    fn forget<'a>(&'a self, scope: &'a str) -> Answer<'a, ()>;
}

/// A cache in memory: of as many outputs as it holds, it forgets the one that was not asked for the longest.
pub struct MemoryToolCache(Mutex<LruCache<CacheKey, (Value, Instant)>>);

impl MemoryToolCache {
    /// One that holds this many outputs; at least one.
    #[must_use]
    pub fn new(most: usize) -> Self {
        // not made with its size, for which it would take the memory at once
        let mut all = LruCache::unbounded();
        all.resize(NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN));
        Self(Mutex::new(all))
    }

    /// How many it holds, those among them that are too old.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn drop_all(&self, which: impl Fn(&CacheKey) -> bool) {
        let mut all = self.0.lock();
        let old: Vec<_> =
            all.iter().filter(|(key, _)| which(key)).map(|(key, _)| key.clone()).collect();
        old.iter().for_each(|key| drop(all.pop(key)));
    }
}

impl Default for MemoryToolCache {
    fn default() -> Self {
        Self::new(5_000)
    }
}

impl fmt::Debug for MemoryToolCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryToolCache").field("len", &self.len()).finish()
    }
}

impl ToolCache for MemoryToolCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> Answer<'a, Option<Value>> {
        Box::pin(async move {
            let mut all = self.0.lock();
            let Some((output, end)) = all.get(key) else { return Ok(None) };
            if Instant::now() < *end {
                return Ok(Some(output.clone()));
            }
            all.pop(key);
            Ok(None)
        })
    }

    fn put<'a>(&'a self, key: &'a CacheKey, output: Value, ttl: Duration) -> Answer<'a, ()> {
        Box::pin(async move {
            // an end that no clock reaches is none that need be kept
            if let Some(end) = Instant::now().checked_add(ttl) {
                self.0.lock().put(key.clone(), (output, end));
            }
            Ok(())
        })
    }

    fn invalidate<'a>(&'a self, tool: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            self.drop_all(|key| key.tool == tool);
            Ok(())
        })
    }

    fn forget<'a>(&'a self, scope: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            self.drop_all(|key| key.scope == scope);
            Ok(())
        })
    }
}
