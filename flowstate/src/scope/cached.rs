//! What tools gave, as an app keeps it: one call at a time for what is the same, and counts of what came of it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::OwnedMutexGuard;

use super::outputs::{Since, StoredOutputs};
use super::{Base, Link, Scope};
use crate::error::{Result, StoreError};
use crate::port::{CacheKey, MemoryToolCache, ToolCache};
use crate::schema::Head;
use crate::sync::{Held, Shared, StaticMutex as Mutex};

/// What the scope of calls that a session shares begins with.
const SESSION: &str = "session:";

type Turn = Arc<tokio::sync::Mutex<()>>;
type HeldTurn = Arc<Held<CacheKey, Turn>>;
/// A call, by the generator's scope and its operation in there.
type Call = (usize, u32);

/// What an app's tools with `cacheable(…)` gave: `app.tool_cache()`, in blocks `ctx.tool_cache()`.
#[derive(Clone)]
pub struct ToolOutputs(Arc<Inner>);

struct Inner {
    cache: Arc<dyn ToolCache>,
    /// Where the store keeps those of sessions.
    stored: Option<StoredOutputs>,
    /// The calls that run, each alone among its like.
    turns: Shared<CacheKey, Turn>,
    /// Which calls these are.
    running: Mutex<HashMap<Call, Running>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// A call that runs, and whether what it gives is forgotten already.
struct Running {
    tool: String,
    scope: String,
    forgotten: Option<Forgotten>,
}

#[derive(Clone, Copy)]
enum Forgotten {
    Tool,
    Session,
}

/// How often tools with `cacheable(…)` ran, and how often they did not have to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolStats {
    /// Calls that were answered without the tool.
    pub hits: u64,
    /// Calls that ran the tool.
    pub misses: u64,
}

impl Default for ToolOutputs {
    fn default() -> Self {
        Self::new(Arc::new(MemoryToolCache::default()), None)
    }
}

impl fmt::Debug for ToolOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolOutputs({:?})", self.stats())
    }
}

impl ToolOutputs {
    pub(crate) fn new(cache: Arc<dyn ToolCache>, stored: Option<StoredOutputs>) -> Self {
        Self(Arc::new(Inner {
            cache,
            stored,
            turns: Shared::default(),
            running: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }))
    }

    /// What came of the calls so far.
    #[must_use]
    pub fn stats(&self) -> ToolStats {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        ToolStats { hits: of(&self.0.hits), misses: of(&self.0.misses) }
    }

    /// Forgets all that the block of this name gave as a tool, also what it gives in calls that run just now: in this process,
    /// and where the app's store keeps it in all.
    ///
    /// # Errors
    /// `store_failed`, where the app's own cache fails.
    pub async fn invalidate(&self, tool: &str) -> Result<()> {
        self.0.forget(Forgotten::Tool, |call| call.tool == tool);
        let forgotten = self.0.cache.invalidate(tool).await;
        forgotten.map_err(|error| StoreError::new("the tool cache", error))?;
        match &self.0.stored {
            Some(stored) => stored.invalidate(tool).await,
            None => Ok(()),
        }
    }

    /// The same of all that is kept for a session; what the store keeps is removed with all of the session.
    pub(crate) async fn forget_session(&self, id: &str) -> Result<()> {
        let scope = format!("{SESSION}{id}");
        self.0.forget(Forgotten::Session, |call| call.scope == scope);
        let forgotten = self.0.cache.forget(&scope).await;
        forgotten.map_err(|error| StoreError::new("the tool cache", error).into())
    }
}

/// One call that may be answered by what another gave.
pub(crate) struct CachedCall {
    outputs: ToolOutputs,
    key: CacheKey,
    call: Call,
    since: Option<Since>,
    turn: Option<(OwnedMutexGuard<()>, HeldTurn)>,
}

impl Link<'_> {
    /// The call of a tool under this generator, once no other like it runs.
    pub(crate) async fn cached_call(
        &self,
        tool: &Head,
        session: bool,
        arguments: String,
    ) -> CachedCall {
        let request = self.request();
        let outputs = request.tool_outputs().clone();
        let scope = match request.who().kept_session() {
            Some(id) if session => format!("{SESSION}{id}"),
            _ => format!("request:{}", request.id()),
        };
        let key = CacheKey::new(tool.name, tool.id.text(), scope, arguments);
        let parent = self.parent().map_or(0, address);
        let call = (parent, self.place.op);
        // who is waited for must not wait: two calls could wait for each other
        let nested = self.parent().is_some_and(|scope| outputs.0.runs(scope));
        let turn = match nested {
            true => None,
            false => {
                let held = outputs.0.turns.get(&key, Turn::default);
                Some((Turn::clone(&held).lock_owned().await, held))
            }
        };
        let running = Running { tool: key.tool.clone(), scope: key.scope.clone(), forgotten: None };
        outputs.0.running.lock().insert(call, running);
        CachedCall { outputs, key, call, since: None, turn }
    }
}

impl Inner {
    /// Notes of the calls that run that what they give is forgotten.
    fn forget(&self, how: Forgotten, which: impl Fn(&Running) -> bool) {
        let mut running = self.running.lock();
        running.values_mut().filter(|call| which(call)).for_each(|call| call.forgotten = Some(how));
    }

    /// Whether a scope belongs to one of the calls that run.
    fn runs(&self, scope: &Arc<Scope>) -> bool {
        let running = self.running.lock();
        let mut next = Some(scope);
        while let Some(scope) = next {
            next = scope.parent();
            if next
                .is_some_and(|over| running.contains_key(&(address(over), scope.frame().place.op)))
            {
                return true;
            }
        }
        false
    }
}

fn address(scope: &Arc<Scope>) -> usize {
    Arc::as_ptr(scope).cast::<()>().addr()
}

impl CachedCall {
    /// Where the store keeps it, and for which session.
    fn stored(&self) -> Option<(&StoredOutputs, &str)> {
        self.outputs.0.stored.as_ref().zip(self.key.scope.strip_prefix(SESSION))
    }

    /// What is kept, if `read` can make something of it.
    pub(crate) async fn kept<T>(&mut self, read: impl FnOnce(Value) -> Option<T>) -> Option<T> {
        let found = match self.stored() {
            Some((stored, session)) => match stored.get(session, &self.key).await {
                Ok((kept, since)) => {
                    self.since = Some(since);
                    Ok(kept)
                }
                Err(error) => Err(error.to_string()),
            },
            None => self.outputs.0.cache.get(&self.key).await.map_err(|error| error.to_string()),
        };
        let kept = found.unwrap_or_else(|error| {
            tracing::warn!(tool = self.key.tool, error, "the tool cache does not answer");
            None
        });
        let kept = kept.and_then(read);
        let count = if kept.is_some() { &self.outputs.0.hits } else { &self.outputs.0.misses };
        count.fetch_add(1, Ordering::Relaxed);
        kept
    }

    fn forgotten(&self) -> Option<Forgotten> {
        self.outputs.0.running.lock().get(&self.call)?.forgotten
    }

    /// Keeps what the call gave, unless it is forgotten already.
    pub(crate) async fn keep(&self, output: Value, ttl: Duration) {
        let cache = &self.outputs.0.cache;
        let kept = match (self.stored(), &self.since) {
            _ if self.forgotten().is_some() => return,
            (Some((stored, session)), Some(since)) => {
                let put = stored.put(session, &self.key, output, ttl, since).await;
                put.map_err(|error| error.to_string())
            }
            (Some(_), None) => return,
            (None, _) => {
                let mut kept = cache.put(&self.key, output, ttl).await;
                // what was forgotten while it was put may have been put after that
                match self.forgotten() {
                    Some(Forgotten::Tool) => kept = cache.invalidate(&self.key.tool).await,
                    Some(Forgotten::Session) => kept = cache.forget(&self.key.scope).await,
                    None => {}
                }
                kept.map_err(|error| error.to_string())
            }
        };
        if let Err(error) = kept {
            tracing::warn!(tool = self.key.tool, error, "the tool cache does not keep it");
        }
    }
}

impl Drop for CachedCall {
    fn drop(&mut self) {
        self.outputs.0.running.lock().remove(&self.call);
        drop(self.turn.take());
    }
}

impl Base<'_> {
    /// What the app's tools with `cacheable(…)` gave: to count, and to forget.
    #[must_use]
    pub fn tool_cache(&self) -> ToolOutputs {
        self.link.request().tool_outputs().clone()
    }
}
