//! What of an app runs on tasks of its own.

use std::collections::HashMap;
use std::sync::Arc;

use super::Request;
use crate::sync::{Mutex, Notify, task_local};

task_local! {
    /// The request that this task belongs to.
    static INSIDE: usize;
}

/// A request is known by its address: it is there as long as a task of it is.
fn of(request: &Request) -> usize {
    std::ptr::from_ref(request).addr()
}

/// The tasks of an app.
#[derive(Default)]
pub(crate) struct Alive {
    all: Mutex<All>,
    changed: Notify,
}

#[derive(Default)]
struct All {
    /// How many each request has.
    tasks: HashMap<usize, usize>,
    /// The requests that wait for all others.
    waiting: Vec<usize>,
}

impl Alive {
    /// Returns when nothing is alive; inside of a request, when nothing is but the requests that wait here, too.
    pub(crate) async fn idle(&self) {
        let own = INSIDE.try_with(|own| *own).ok();
        let own = own.filter(|own| self.all.lock().tasks.contains_key(own));
        let _waits = own.map(|own| Waits::begin(self, own));
        loop {
            // made before the look, so that it does not miss the last end
            let changed = self.changed.notified();
            let idle = {
                let All { tasks, waiting } = &*self.all.lock();
                tasks.is_empty() || (own.is_some() && tasks.keys().all(|one| waiting.contains(one)))
            };
            if idle {
                return;
            }
            changed.await;
        }
    }
}

/// A request that waits for all others.
struct Waits<'a>(&'a Alive, usize);

impl<'a> Waits<'a> {
    fn begin(alive: &'a Alive, own: usize) -> Self {
        alive.all.lock().waiting.push(own);
        alive.changed.notify_waiters();
        Self(alive, own)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let waiting = &mut self.0.all.lock().waiting;
        if let Some(at) = waiting.iter().position(|one| *one == self.1) {
            waiting.swap_remove(at);
        }
    }
}

/// A task of a request, until this is dropped.
pub(crate) struct Task(Arc<Alive>, usize);

impl Drop for Task {
    fn drop(&mut self) {
        let mut all = self.0.all.lock();
        if let Some(count) = all.tasks.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                all.tasks.remove(&self.1);
                drop(all);
                self.0.changed.notify_waiters();
            }
        }
    }
}

impl Request {
    /// Counts as work of the app until it is dropped.
    pub(crate) fn running(&self) -> Task {
        let (alive, own) = (self.home_of().alive.clone(), of(self));
        *alive.all.lock().tasks.entry(own).or_default() += 1;
        Task(alive, own)
    }

    /// What a task of it runs.
    pub(crate) fn inside<F: Future>(&self, work: F) -> impl Future<Output = F::Output> + use<F> {
        INSIDE.scope(of(self), work)
    }
}
