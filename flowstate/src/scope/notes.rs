//! What a block that runs others notes of their runs. Most note nothing, so it is made when the first note is.

use std::any::Any;
use std::sync::Arc;

use parking_lot::Mutex;

use super::signal::Signal;
use super::{Link, Place, Scope};
use crate::schema::{Head, Id};

type Output = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
pub(super) struct Notes {
    /// The blocks whose last run was rescued.
    rescued: Mutex<Vec<Id>>,
    /// What the blocks that are asked for returned last.
    outputs: Mutex<Vec<(Id, Output)>>,
    /// The signals of the steps that have one.
    signals: Mutex<Vec<(Place, Signal)>>,
}

impl Scope {
    fn note(&self) -> &Notes {
        self.notes.get_or_init(Box::default)
    }

    pub(super) fn was_rescued(&self, id: Id) -> bool {
        self.notes.get().is_some_and(|notes| notes.rescued.lock().iter().any(|known| known.is(id)))
    }

    pub(super) fn output<O: Clone + 'static>(&self, id: Id) -> Option<O> {
        let outputs = self.notes.get()?.outputs.lock();
        let found = outputs.iter().find(|(known, _)| known.is(id))?.1.clone();
        drop(outputs);
        found.downcast_ref().cloned()
    }

    fn signal_of(&self, place: Place) -> Option<Signal> {
        let signals = self.notes.get()?.signals.lock();
        signals.iter().find(|(known, _)| *known == place).map(|(_, signal)| signal.clone())
    }
}

impl Link<'_> {
    /// Notes whether this run of a block ended in its rescue.
    pub(crate) fn note_rescue(&self, head: &Head, rescued: bool) {
        let Some(parent) = self.parent() else { return };
        if !rescued && parent.notes.get().is_none() {
            return;
        }
        let mut all = parent.note().rescued.lock();
        all.retain(|id| !id.is(head.id));
        if rescued {
            all.push(head.id);
        }
    }

    /// Notes what a run of a block returned.
    pub(crate) fn note_output(&self, head: &Head, output: impl Any + Send + Sync) {
        let Some(parent) = self.parent() else { return };
        let output: Output = Arc::new(output);
        let mut all = parent.note().outputs.lock();
        let before = match all.iter_mut().find(|(id, _)| id.is(head.id)) {
            Some((_, last)) => Some(std::mem::replace(last, output)),
            None => {
                all.push((head.id, output));
                None
            }
        };
        // what was there is dropped outside of the lock, since that is the user's code
        drop(all);
        drop(before);
    }

    /// Tells when the request is cancelled, or a step around this is aborted.
    pub(super) fn signal(&self) -> Signal {
        let (mut place, mut next) = (self.place, self.parent());
        while let Some(scope) = next {
            if let Some(signal) = scope.signal_of(place) {
                return signal;
            }
            (place, next) = (scope.place, scope.parent());
        }
        self.request().signal().clone()
    }

    /// Gives what runs here a signal of its own, until the guard is dropped.
    pub(crate) fn abortable(&self) -> Abortable {
        let signal = self.signal().inside();
        let scope = self.parent().cloned();
        if let Some(scope) = &scope {
            scope.note().signals.lock().push((self.place, signal.clone()));
        }
        Abortable { scope, place: self.place, signal }
    }
}

/// A step that can be aborted, while it runs.
pub(crate) struct Abortable {
    scope: Option<Arc<Scope>>,
    place: Place,
    signal: Signal,
}

impl Abortable {
    /// Tells what runs inside. It can be asked for ever after, by the side chains that the step has queued.
    pub(crate) fn abort(mut self) {
        self.scope = None;
        self.signal.cancel();
    }
}

impl Drop for Abortable {
    fn drop(&mut self) {
        if let Some(scope) = &self.scope {
            scope.note().signals.lock().retain(|(known, _)| *known != self.place);
        }
    }
}
