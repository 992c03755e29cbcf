//! How a request of an action ends: its last hook, its side chains, its record; also where nobody waits for it any more.

use std::sync::Arc;

use super::record::note;
use super::turn::during;
use crate::item::Outcome;
use crate::scope::{Called, Hook, Hooks, LaneKey, Listed, Live, Request, Turn, now};
use crate::sync::Handle;

/// A request that has not ended. Where it is dropped, it ends on a task of its own.
pub(super) struct Unended {
    end: Option<End>,
    /// Where that task would run; `None` outside of a runtime.
    tasks: Option<Handle>,
}

struct End {
    request: Arc<Request>,
    hooks: &'static Hooks,
    started: u64,
    /// Cancelled, until more is known.
    outcome: Outcome,
    /// Whether `on_finished` has begun.
    told: bool,
    turn: Option<Turn>,
    _listed: Option<Listed>,
    _live: Live,
}

impl Unended {
    pub(super) fn new(request: &Arc<Request>, hooks: &'static Hooks) -> Self {
        let started = now();
        let end = End {
            request: request.clone(),
            hooks,
            started,
            outcome: Outcome::Cancelled,
            told: false,
            turn: None,
            _listed: Listed::of(request, started),
            _live: request.ending().begin(),
        };
        Self { end: Some(end), tasks: Handle::try_current().ok() }
    }

    /// Keeps the turn of the request until it has ended; gives its line.
    pub(super) fn takes(&mut self, turn: Option<Turn>) -> Option<LaneKey> {
        let key = turn.as_ref().map(|turn| turn.key().clone());
        if let Some(end) = &mut self.end {
            end.turn = turn;
        }
        key
    }

    /// What has become of it, whatever comes now.
    pub(super) fn settle(&mut self, outcome: Outcome) {
        if let Some(end) = &mut self.end {
            end.outcome = outcome;
        }
    }

    pub(super) async fn end(mut self) {
        if let Some(end) = &mut self.end {
            end.tell().await;
        }
        let Some(end) = self.end.take() else { return };
        match &self.tasks {
            // on a task, since one that is cut in two could be noted twice
            Some(tasks) if end.request.who().session.is_some() => {
                let live = end.request.running();
                let noted = tasks.spawn(async move {
                    end.note().await;
                    drop(live);
                });
                let _ = noted.await;
            }
            _ => end.note().await,
        }
    }
}

impl Drop for Unended {
    fn drop(&mut self) {
        let (Some(mut end), Some(tasks)) = (self.end.take(), &self.tasks) else { return };
        let (request, live) = (end.request.clone(), end.request.running());
        tasks.spawn(request.inside(async move {
            let turn = end.turn.as_ref().map(|turn| turn.key().clone());
            during(turn, end.tell()).await;
            end.note().await;
            drop(live);
        }));
    }
}

impl End {
    /// Waits for the side chains, runs the last hook, and waits for what that has queued.
    async fn tell(&mut self) {
        self.request.drain().await;
        if !std::mem::replace(&mut self.told, true) {
            let called = || called(&self.request, Some(self.outcome.clone()));
            after(self.hooks.finished, &self.request, called).await;
        }
        self.request.drain().await;
    }

    async fn note(self) {
        if let Err(error) = note(&self.request, self.started, &self.outcome).await {
            // what it has done is done, and its caller has the answer
            tracing::error!(
                request = %self.request.id(), code = error.code(), %error,
                "how a request ended could not be noted; its session lacks it"
            );
        }
    }
}

/// What runs when the outcome is settled: its own failure changes nothing.
pub(super) async fn after<I>(
    hook: Option<Hook<I>>,
    request: &Arc<Request>,
    input: impl FnOnce() -> I,
) {
    if let Some(hook) = hook
        && let Err(error) = hook(input(), request).await
    {
        tracing::warn!(request = %request.id(), %error, "a hook failed");
    }
}

pub(super) fn called(request: &Request, outcome: Option<Outcome>) -> Called {
    let (flow, action) = (request.flow().unwrap_or_default(), request.action().unwrap_or_default());
    Called::new(flow, action, request.id().to_string(), outcome)
}
