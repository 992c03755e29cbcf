//! Lines of requests that take turns.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

use crate::sync::{Held, Mutex, Notify};

/// Whose requests stand in one line; no two sorts of line can have one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum LaneKey {
    Session {
        tenant: Option<String>,
        id: String,
    },
    User {
        tenant: Option<String>,
        id: String,
    },
    /// What a function of a flow gave.
    Custom {
        tenant: Option<String>,
        flow: String,
        text: String,
    },
}

impl fmt::Display for LaneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session { id, .. } => write!(f, "the session `{id}`"),
            Self::User { id, .. } => write!(f, "the user `{id}`"),
            Self::Custom { flow, text, .. } => write!(f, "`{text}` of the flow `{flow}`"),
        }
    }
}

/// One line: those that run, and those that wait.
#[derive(Default)]
pub(crate) struct Lane {
    line: Mutex<Line>,
    emptied: Notify,
}

#[derive(Default)]
struct Line {
    tickets: u64,
    places: VecDeque<Place>,
}

struct Place {
    ticket: u64,
    request: Uuid,
    first: Arc<Notify>,
}

/// A place in a line, until it is dropped.
pub(crate) struct Turn {
    lane: Arc<Held<LaneKey, Lane>>,
    ticket: u64,
    first: Arc<Notify>,
}

impl Turn {
    /// At the end of the line.
    pub(crate) fn last(lane: &Arc<Held<LaneKey, Lane>>, request: Uuid) -> Self {
        Self::enter(lane, &mut lane.line.lock(), request)
    }

    /// The only one, or the request that is first.
    pub(crate) fn alone(lane: &Arc<Held<LaneKey, Lane>>, request: Uuid) -> Result<Self, Uuid> {
        let mut line = lane.line.lock();
        match line.places.front() {
            Some(first) => Err(first.request),
            None => Ok(Self::enter(lane, &mut line, request)),
        }
    }

    /// The only one, once nobody else is there.
    pub(crate) async fn when_empty(lane: &Arc<Held<LaneKey, Lane>>, request: Uuid) -> Self {
        loop {
            // made before the look, so that it does not miss the last one's leaving
            let emptied = lane.emptied.notified();
            if let Ok(turn) = Self::alone(lane, request) {
                return turn;
            }
            emptied.await;
        }
    }

    fn enter(lane: &Arc<Held<LaneKey, Lane>>, line: &mut Line, request: Uuid) -> Self {
        line.tickets += 1;
        let (ticket, first) = (line.tickets, Arc::new(Notify::default()));
        line.places.push_back(Place { ticket, request, first: first.clone() });
        Self { lane: lane.clone(), ticket, first }
    }

    pub(crate) fn key(&self) -> &LaneKey {
        self.lane.key()
    }

    /// The request that is first.
    pub(crate) fn holder(&self) -> Option<Uuid> {
        self.lane.line.lock().places.front().map(|place| place.request)
    }

    /// Returns when it is first.
    pub(crate) async fn come(&self) {
        loop {
            if self.lane.line.lock().places.front().is_some_and(|p| p.ticket == self.ticket) {
                return;
            }
            // (keeps what comes before it is awaited)
            self.first.notified().await;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut line = self.lane.line.lock();
        line.places.retain(|place| place.ticket != self.ticket);
        match line.places.front() {
            Some(next) => next.first.notify_one(),
            None => self.lane.emptied.notify_waiters(),
        }
    }
}
