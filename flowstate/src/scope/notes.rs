//! What a block that runs others notes of their runs. Most note nothing, so it is made when the first note is.

use std::any::Any;
use std::sync::Arc;

use super::calls::{Calls, Feed};
use super::signal::Signal;
use super::{Link, Place, Scope};
use crate::schema::{Head, Id};

type Output = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
pub(super) struct Notes {
    /// The blocks whose last run was rescued.
    rescued: Vec<Id>,
    /// What the blocks that are asked for returned last.
    outputs: Vec<(Id, Output)>,
    /// The signals of the steps that have one.
    signals: Vec<(Place, Signal)>,
    /// A number that no other scope has.
    number: Option<u64>,
    /// The tool calls of a step, where their order counts.
    calls: Option<Arc<Calls>>,
    /// What the tools that ran here feed.
    fed: Vec<(Place, Vec<Box<dyn Feed>>)>,
}

impl Scope {
    /// What is found in the notes, where there are any.
    fn noted<T>(&self, find: impl FnOnce(&mut Notes) -> Option<T>) -> Option<T> {
        find(&mut self.frame().notes.get()?.lock())
    }

    fn note<T>(&self, note: impl FnOnce(&mut Notes) -> T) -> T {
        note(&mut self.frame().notes.get_or_init(Arc::default).lock())
    }

    pub(super) fn was_rescued(&self, id: Id) -> bool {
        self.noted(|notes| notes.rescued.iter().find(|known| known.is(id)).copied()).is_some()
    }

    pub(super) fn output<O: Clone + 'static>(&self, id: Id) -> Option<O> {
        let of = |notes: &mut Notes| {
            notes.outputs.iter().find(|(known, _)| known.is(id)).map(|(_, output)| output.clone())
        };
        // cloned outside of the lock, since that is the user's code
        self.noted(of)?.downcast_ref().cloned()
    }

    /// A number that no other scope has.
    pub(super) fn number(&self) -> u64 {
        self.note(|notes| *notes.number.get_or_insert_with(super::calls::next_scope))
    }

    pub(super) fn calls(&self) -> Option<Arc<Calls>> {
        self.noted(|notes| notes.calls.clone())
    }

    /// Lets the tool calls of a step change what they change in their order.
    pub(crate) fn order(&self, calls: Arc<Calls>) {
        self.note(|notes| notes.calls = Some(calls));
    }

    /// What the tool that ran here feeds.
    pub(crate) fn fed(&self, place: Place) -> Vec<Box<dyn Feed>> {
        let of = |notes: &mut Notes| {
            let at = notes.fed.iter().position(|(known, _)| *known == place)?;
            Some(notes.fed.swap_remove(at).1)
        };
        self.noted(of).unwrap_or_default()
    }

    fn signal_of(&self, place: Place) -> Option<Signal> {
        self.noted(|notes| {
            notes.signals.iter().find(|(at, _)| *at == place).map(|(_, s)| s.clone())
        })
    }
}

impl Link<'_> {
    /// Notes whether this run of a block ended in its rescue.
    pub(crate) fn note_rescue(&self, head: &Head, rescued: bool) {
        let Some(parent) = self.parent() else { return };
        parent.noted(|notes| {
            notes.rescued.retain(|id| !id.is(head.id));
            Some(())
        });
        if rescued {
            parent.note(|notes| notes.rescued.push(head.id));
        }
    }

    /// Notes what a run of a block returned.
    pub(crate) fn note_output(&self, head: &Head, output: impl Any + Send + Sync) {
        let Some(parent) = self.parent() else { return };
        let output: Output = Arc::new(output);
        let before = parent.note(|notes| {
            let at = notes.outputs.iter().position(|(id, _)| id.is(head.id));
            let before = at.map(|at| notes.outputs.swap_remove(at));
            notes.outputs.push((head.id, output));
            before
        });
        // outside of the lock, since that is the user's code
        drop(before);
    }

    /// Notes what a tool feeds, which happens once its call has succeeded.
    pub(super) fn note_fed(&self, fed: Vec<Box<dyn Feed>>) {
        let Some(parent) = self.parent() else { return };
        let place = self.place;
        let before = parent.fed(place);
        parent.note(|notes| notes.fed.push((place, fed)));
        drop(before);
    }

    /// Tells when the request is cancelled, or a step around this is aborted.
    pub(super) fn signal(&self) -> Signal {
        let (mut place, mut next) = (self.place, self.parent());
        while let Some(scope) = next {
            if let Some(signal) = scope.signal_of(place) {
                return signal;
            }
            (place, next) = (scope.frame().place, scope.parent());
        }
        self.request().signal().clone()
    }

    /// Gives what runs here a signal of its own, until the guard is dropped.
    pub(crate) fn abortable(&self) -> Abortable {
        let signal = self.signal().inside();
        let scope = self.parent().cloned();
        if let Some(scope) = &scope {
            scope.note(|notes| notes.signals.push((self.place, signal.clone())));
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
            scope.note(|notes| notes.signals.retain(|(at, _)| *at != self.place));
        }
    }
}
