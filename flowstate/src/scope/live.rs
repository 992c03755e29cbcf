//! The requests of named sessions that run in this process.

use std::collections::HashMap;
use std::sync::Arc;

use super::Request;
use super::home::Home;
use crate::sync::Mutex;

/// All of them, by what their session is kept under.
#[derive(Default)]
pub(crate) struct LiveRequests(Mutex<HashMap<String, Vec<LiveRequest>>>);

/// One of them.
#[derive(Clone)]
pub(crate) struct LiveRequest {
    pub(crate) id: String,
    pub(crate) flow: String,
    pub(crate) action: String,
    pub(crate) started: u64,
}

impl LiveRequests {
    /// Those of a session, oldest first.
    pub(crate) fn of(&self, session: &str) -> Vec<LiveRequest> {
        self.0.lock().get(session).cloned().unwrap_or_default()
    }
}

/// A request is among them until this is dropped.
pub(crate) struct Listed {
    home: Arc<Home>,
    session: String,
    id: String,
}

impl Listed {
    /// Of a request of an action in a named session.
    pub(crate) fn of(request: &Request, started: u64) -> Option<Self> {
        let session = request.who().kept_session()?.into_owned();
        let (flow, action) = (request.flow()?.to_owned(), request.action()?.to_owned());
        let (home, id) = (request.home_of().clone(), request.id().to_string());
        let one = LiveRequest { id: id.clone(), flow, action, started };
        home.live.0.lock().entry(session.clone()).or_default().push(one);
        Some(Self { home, session, id })
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut all = self.home.live.0.lock();
        if let Some(own) = all.get_mut(&self.session) {
            own.retain(|one| one.id != self.id);
            if own.is_empty() {
                all.remove(&self.session);
            }
        }
    }
}
