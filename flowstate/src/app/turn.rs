//! Requests of one session that take turns.

use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use crate::error::{Error, Result, code};
use crate::schema::Concurrency;
use crate::scope::{Lane, Request};
use crate::sync::Held;

/// A request's turn, until it is dropped.
pub(super) struct Turn {
    _guard: OwnedMutexGuard<()>,
    /// Known by its session as long as somebody has a turn in it, or waits for one.
    _lane: Arc<Held<String, Lane>>,
}

/// A request's turn in its session, when it comes; `None` where it needs none.
pub(super) async fn turn(policy: Concurrency, request: &Request) -> Result<Option<Turn>> {
    if policy == Concurrency::Allow {
        return Ok(None);
    }
    let Some(lane) = request.lane() else { return Ok(None) };
    let turns = lane.turns.clone();
    let guard = match policy {
        Concurrency::Queue => turns.lock_owned().await,
        _ => turns.try_lock_owned().map_err(|_| busy(&lane, request))?,
    };
    *lane.holder.lock() = Some(request.id());
    Ok(Some(Turn { _guard: guard, _lane: lane }))
}

#[cold]
fn busy(lane: &Lane, request: &Request) -> Error {
    let session = request.who().session.as_deref().unwrap_or_default();
    let holder = lane.holder.lock().map_or_else(String::new, |id| format!(" {id}"));
    let text = format!("the session `{session}` is busy: the request{holder} runs in it");
    Error::with_code(code::ACTION_BUSY, text).with_retryable(true)
}
