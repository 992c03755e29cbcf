//! What tools gave, in the app's store: for all processes, and for as long as their session is kept.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::keeper::SESSION_RECORD;
use super::stream::now;
use crate::error::Result;
use crate::port::{CacheKey, Key, Record, Store};
use crate::schema::Reach;
use crate::state::Slot;

/// Beside the states of their session, one record for each tool.
pub(crate) struct StoredOutputs(Arc<dyn Store>);

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

/// How things stood when a call began.
#[derive(PartialEq)]
pub(super) struct Since {
    /// The version of the note that the tool was forgotten.
    forgotten: Option<u64>,
    /// The session: one that is begun anew under the same id is another.
    session: Option<Value>,
}

impl StoredOutputs {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    fn slot(&self, id: &str, what: String) -> Slot {
        Slot::new(self.0.clone(), Key::new(Reach::Session, id, what))
    }

    fn record(&self, session: &str, key: &CacheKey) -> Slot {
        self.slot(session, format!("!tool/{}", key.tool))
    }

    async fn now(&self, session: &str, tool: &str) -> Result<Since> {
        let (forgotten, session) =
            (self.slot(FORGOTTEN, tool.to_owned()), self.slot(session, SESSION_RECORD.to_owned()));
        let (forgotten, session) = try_join(forgotten.load(), session.load()).await?;
        let of = |found: Arc<Record>| {
            ["created", "user", "org"].iter().map(|part| found.value[part].clone()).collect()
        };
        Ok(Since { forgotten: forgotten.map(|note| note.version), session: session.map(of) })
    }

    /// What is kept, and how things stand.
    pub(super) async fn get(
        &self,
        session: &str,
        key: &CacheKey,
    ) -> Result<(Option<Value>, Since)> {
        let record = self.record(session, key);
        let (found, now) = try_join(record.load(), self.now(session, &key.tool)).await?;
        let all = fresh(found.as_ref().map(|found| &found.value), now.forgotten);
        Ok((all.into_iter().find(|kept| kept.is(key)).map(|kept| kept.output), now))
    }

    /// Keeps what a call gave, unless its tool was forgotten since, or its session deleted.
    pub(super) async fn put(
        &self,
        session: &str,
        key: &CacheKey,
        output: Value,
        ttl: Duration,
        since: &Since,
    ) -> Result<()> {
        if since.session.is_none() || self.now(session, &key.tool).await? != *since {
            return Ok(());
        }
        let new = Kept {
            declared: key.declared.to_owned(),
            arguments: key.arguments.clone(),
            output,
            ends: wall().saturating_add(millis(ttl)),
            // (what is forgotten from here on, this is with it)
            forgotten: since.forgotten,
        };
        let others = |found: Option<&Value>| {
            let mut all = fresh(found, since.forgotten);
            all.retain(|kept| !kept.is(key));
            all
        };
        let json = |all: Vec<Kept>| serde_json::to_value(all).unwrap_or_default();
        let record = self.record(session, key);
        let write = record.write(|found| {
            let mut all = others(found);
            all.push(new.clone());
            all.drain(..all.len().saturating_sub(MOST));
            json(all)
        });
        write.await?;
        if self.now(session, &key.tool).await?.session != since.session {
            // the session was deleted after the first look: nothing of it stays
            let mut found = record.load().await?;
            while let Some(seen) = found {
                let swap = record.swap(Some(seen.version), json(others(Some(&seen.value))));
                found = swap.await?.err().flatten();
            }
        }
        Ok(())
    }

    /// Forgets all that the tool of this name gave.
    pub(super) async fn invalidate(&self, tool: &str) -> Result<()> {
        let at = wall();
        self.slot(FORGOTTEN, tool.to_owned()).write(|_| json!({ "forgotten": at })).await
    }
}
