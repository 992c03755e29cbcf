//! The requests of named sessions that run in this process.

use std::sync::Arc;

use super::Request;
use super::request::Home;
use crate::sync::Mutex;

/// All of them.
#[derive(Default)]
pub(crate) struct LiveRequests(Mutex<Vec<LiveRequest>>);

/// One of them.
#[derive(Clone)]
pub(crate) struct LiveRequest {
    session: String,
    pub(crate) id: String,
    pub(crate) flow: String,
    pub(crate) action: String,
    pub(crate) started: u64,
}

impl LiveRequests {
    /// Those of a session, oldest first.
    pub(crate) fn of(&self, session: &str) -> Vec<LiveRequest> {
        self.0.lock().iter().filter(|one| one.session == session).cloned().collect()
    }
}

/// A request is among them until this is dropped.
pub(crate) struct Listed(Arc<Home>, String);

impl Listed {
    /// Of a request of an action in a named session.
    pub(crate) fn of(request: &Request, started: u64) -> Option<Self> {
        let session = request.who().kept_session()?.into_owned();
        let (flow, action) = (request.flow()?.to_owned(), request.action()?.to_owned());
        let id = request.id().to_string();
        let one = LiveRequest { session, id: id.clone(), flow, action, started };
        request.home_of().live.0.lock().push(one);
        Some(Self(request.home_of().clone(), id))
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.0.live.0.lock().retain(|one| one.id != self.1);
    }
}
