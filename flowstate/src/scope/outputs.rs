//! What tools gave, in the app's store: for all processes, and for as long as their session is kept.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::cached::SESSION;
use super::stream::now;
use crate::error::Result;
use crate::port::{Answer, CacheKey, Key, MemoryToolCache, Store, ToolCache};
use crate::schema::Reach;
use crate::state::Slot;

/// What is kept for a session is kept beside its states, one record for each tool; what is kept for a request, in memory.
pub(crate) struct StoredOutputs {
    store: Arc<dyn Store>,
    memory: MemoryToolCache,
}

/// How many outputs of one tool a session has at most, for they are read and written together.
const MOST: usize = 64;

/// Where it is noted that a tool was forgotten; no session is kept under this id.
const FORGOTTEN: &str = "@tools";

#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    declared: String,
    arguments: String,
    output: Value,
    /// In milliseconds since 1970.
    ends: u64,
    /// The version of the note that the tool was forgotten, as it was then.
    forgotten: Option<u64>,
}

impl Kept {
    fn is(&self, key: &CacheKey) -> bool {
        self.declared == key.declared && self.arguments == key.arguments
    }
}

/// Those of a record that still count; what cannot be read is none.
fn fresh(record: Option<&Value>, forgotten: Option<u64>) -> Vec<Kept> {
    let all = record.and_then(|record| Vec::<Kept>::deserialize(record).ok());
    let mut all = all.unwrap_or_default();
    let now = wall();
    all.retain(|kept| now < kept.ends && kept.forgotten == forgotten);
    all
}

/// Milliseconds since 1970, by a clock that a test stops and advances as it does tokio's.
fn wall() -> u64 {
    let (tokio, own) = (Instant::now().into_std(), std::time::Instant::now());
    let (ahead, behind) =
        (tokio.saturating_duration_since(own), own.saturating_duration_since(tokio));
    now().saturating_add(millis(ahead)).saturating_sub(millis(behind))
}

fn millis(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

impl StoredOutputs {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, memory: MemoryToolCache::default() }
    }

    /// The record of this call's tool, where it is kept for a session.
    fn record(&self, key: &CacheKey) -> Option<Slot> {
        let session = key.scope.strip_prefix(SESSION)?;
        let key = Key::new(Reach::Session, session, format!("!tool/{}", key.tool));
        Some(Slot::new(self.store.clone(), key))
    }

    fn note(&self, tool: &str) -> Slot {
        Slot::new(self.store.clone(), Key::new(Reach::Session, FORGOTTEN, tool.to_owned()))
    }

    async fn forgotten(&self, tool: &str) -> Result<Option<u64>> {
        Ok(self.note(tool).load().await?.map(|note| note.version))
    }
}

impl ToolCache for StoredOutputs {
    fn get<'a>(&'a self, key: &'a CacheKey) -> Answer<'a, Option<Value>> {
        Box::pin(async move {
            let Some(record) = self.record(key) else { return self.memory.get(key).await };
            let (found, forgotten) = try_join(record.load(), self.forgotten(&key.tool)).await?;
            let all = fresh(found.as_ref().map(|found| &found.value), forgotten);
            Ok(all.into_iter().find(|kept| kept.is(key)).map(|kept| kept.output))
        })
    }

    fn put<'a>(&'a self, key: &'a CacheKey, output: Value, ttl: Duration) -> Answer<'a, ()> {
        Box::pin(async move {
            let Some(record) = self.record(key) else {
                return self.memory.put(key, output, ttl).await;
            };
            let forgotten = self.forgotten(&key.tool).await?;
            let new = Kept {
                declared: key.declared.to_owned(),
                arguments: key.arguments.clone(),
                output,
                ends: wall().saturating_add(millis(ttl)),
                forgotten,
            };
            let write = record.write(|found| {
                let mut all = fresh(found, forgotten);
                all.retain(|kept| !kept.is(key));
                all.push(new.clone());
                all.drain(..all.len().saturating_sub(MOST));
                serde_json::to_value(all).unwrap_or_default()
            });
            Ok(write.await?)
        })
    }

    fn invalidate<'a>(&'a self, tool: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            self.memory.invalidate(tool).await?;
            let at = wall();
            Ok(self.note(tool).write(|_| json!({ "forgotten": at })).await?)
        })
    }

    fn forget<'a>(&'a self, scope: &'a str) -> Answer<'a, ()> {
        // (what is in the store is removed with all of the session)
        self.memory.forget(scope)
    }
}
