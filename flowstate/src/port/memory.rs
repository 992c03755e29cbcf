//! A store in memory.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::{Answer, Key, Record, Store, Swap};
use crate::schema::Reach;
use crate::sync::Mutex;

/// Keeps states in memory, as JSON; clones share what they keep. For tests, and apps that share state in one process.
///
/// ```
/// use flowstate::prelude::*;
/// use flowstate::store::MemoryStore;
///
/// #[state]
/// pub struct Visits { pub count: u32 }
///
/// #[block(handler, session = Visits)]
/// async fn visit(_: (), ctx: Ctx) -> Result<u32> {
///     ctx.session.count.inc(1).await?;
///     Ok(ctx.session.count.get())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let store = MemoryStore::new();
/// let (one, other) = (App::builder().store(store.clone()).build()?, App::builder().store(store).build()?);
/// assert_eq!(one.request().session("s").run(visit, ()).await?, 1);
/// assert_eq!(other.request().session("s").run(visit, ()).await?, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    /// The highest version that was removed.
    removed: u64,
    /// By whose it is, since that is how it is removed.
    all: HashMap<(Reach, String), HashMap<Cow<'static, str>, Record>>,
}

impl MemoryStore {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryStore({})", self.0.lock().all.values().map(HashMap::len).sum::<usize>())
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        Box::pin(async {
            let kept = self.0.lock();
            Ok(kept
                .all
                .get(&(key.reach, key.id.clone()))
                .and_then(|own| own.get(&key.state))
                .cloned())
        })
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        Box::pin(async move {
            let Kept { removed, all } = &mut *self.0.lock();
            let whose = (key.reach, key.id.clone());
            let found = all.get(&whose).and_then(|own| own.get(&key.state));
            if found.map(|record| record.version) != expected {
                return Ok(Swap::Conflict(found.cloned()));
            }
            let version = expected.unwrap_or(*removed) + 1;
            all.entry(whose).or_default().insert(key.state.clone(), Record { version, value });
            Ok(Swap::Done(version))
        })
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let Kept { removed, all } = &mut *self.0.lock();
            let gone = all.remove(&(reach, id.to_owned())).unwrap_or_default();
            let versions = gone.into_values().map(|record| record.version);
            *removed = versions.max().unwrap_or(0).max(*removed);
            Ok(())
        })
    }
}
