//! Requests that take turns.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::error::{Error, Result, code};
use crate::schema::{ActionDef, Concurrency, TurnKey};
use crate::scope::{Lane, LaneKey, Request, Turn};
use crate::sync::{Held, task_local, timeout};

/// How long a call with `defer` lets others go first.
const YIELDS: Duration = Duration::from_secs(30);

task_local! {
    /// The lines that the request on this task has its turn in, and those that it is called from.
    static HELD: Vec<LaneKey>;
}

/// How a call stands to the line it belongs to.
pub(crate) enum Entered {
    /// It has no line.
    Free,
    /// It has its turn.
    Runs(Turn),
    /// It waits for its turn so long.
    Waits(Turn, Duration),
    /// It waits until nobody else is there, and then so long for its turn.
    Defers(Arc<Held<LaneKey, Lane>>, Uuid, Duration),
}

/// The line of a call; `text` is what the entry's function gave.
fn line_of(def: &ActionDef, request: &Request, text: Option<String>) -> Option<LaneKey> {
    let (who, tenant) = (request.who(), request.who().tenant.clone());
    match def.key {
        TurnKey::Session => Some(LaneKey::Session { tenant, id: who.session.clone()? }),
        TurnKey::User => Some(LaneKey::User { tenant, id: who.user.clone()? }),
        TurnKey::None => None,
        TurnKey::Custom => {
            Some(LaneKey::Custom { tenant, flow: request.flow()?.to_owned(), text: text? })
        }
    }
}

/// Where a call stands, at once.
pub(crate) fn enter(def: &ActionDef, request: &Request, text: Option<String>) -> Result<Entered> {
    if def.concurrency == Concurrency::Allow {
        return Ok(Entered::Free);
    }
    let Some(key) = line_of(def, request, text) else { return Ok(Entered::Free) };
    let own = HELD.try_with(|held| held.contains(&key)).unwrap_or_default();
    if own && matches!(def.concurrency, Concurrency::Queue | Concurrency::Defer) {
        let text = format!(
            "`{}` would wait for ever: it is called by a request that has its turn in {key} itself",
            def.name
        );
        return Err(Error::with_code(code::QUEUE_DEADLOCK, text));
    }
    let (lane, id) = (request.lane(&key), request.id());
    Ok(match def.concurrency {
        Concurrency::Queue => Entered::Waits(Turn::last(&lane, id), def.wait),
        Concurrency::Reject => match Turn::alone(&lane, id) {
            Ok(turn) => Entered::Runs(turn),
            Err(holder) => {
                let text = format!("{key} is busy: the request {holder} runs in it");
                return Err(Error::with_code(code::ACTION_BUSY, text).with_retryable(true));
            }
        },
        Concurrency::Defer => Entered::Defers(lane, id, def.wait),
        _ => Entered::Runs(Turn::last(&lane, id)),
    })
}

impl Entered {
    /// Its turn, when it comes; `None` where it needs none.
    pub(super) async fn turn(self) -> Result<Option<Turn>> {
        match self {
            Self::Free => Ok(None),
            Self::Runs(turn) => Ok(Some(turn)),
            Self::Waits(turn, wait) => match timeout(wait, turn.come()).await {
                Ok(()) => Ok(Some(turn)),
                Err(_) => Err(late(&turn, wait)),
            },
            Self::Defers(lane, id, wait) => {
                match timeout(YIELDS, Turn::when_empty(&lane, id)).await {
                    Ok(turn) => Ok(Some(turn)),
                    // from here on it queues
                    Err(_) => Box::pin(Self::Waits(Turn::last(&lane, id), wait).turn()).await,
                }
            }
        }
    }
}

/// Runs something in its turn, where it has one.
pub(super) async fn during<T>(turn: Option<LaneKey>, work: impl Future<Output = T>) -> T {
    let Some(key) = turn else { return work.await };
    let mut held = HELD.try_with(Clone::clone).unwrap_or_default();
    held.push(key);
    HELD.scope(held, work).await
}

#[cold]
fn late(turn: &Turn, wait: Duration) -> Error {
    let holder = turn.holder().map_or_else(String::new, |id| format!(": the request {id} runs"));
    let text = format!("no turn in {} for {wait:?}{holder}", turn.key());
    Error::with_code(code::QUEUE_TIMEOUT, text).with_retryable(true)
}
