//! Work that a sequencer queues and does not wait for. It belongs to the request, which ends only when none is left.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Request, Scope};
use crate::error::{Error, Result, guarded};
use crate::sync::{AbortHandle, AtomicUsize, Mutex, Notify, spawn};

/// Work that is alive, and what of it failed.
#[derive(Default)]
pub(crate) struct Group {
    live: AtomicUsize,
    idle: Notify,
    /// The first failure since somebody asked.
    failed: Mutex<Option<Error>>,
}

impl Group {
    pub(crate) fn begin(self: Arc<Self>) -> Live {
        self.live.fetch_add(1, Ordering::AcqRel);
        Live(self)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.live.load(Ordering::Acquire) == 0
    }

    /// Returns when nothing is alive, also of what was queued meanwhile.
    pub(crate) async fn idle(&self) {
        loop {
            // made before the look, so that it does not miss the last end
            let idle = self.idle.notified();
            if self.is_idle() {
                return;
            }
            idle.await;
        }
    }

    /// The first failure since the last time this was asked.
    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.failed.lock().take()
    }
}

/// One piece of work in a group, until it is dropped.
pub(crate) struct Live(Arc<Group>);

impl Drop for Live {
    fn drop(&mut self) {
        if self.0.live.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}

/// The background work of a request.
#[derive(Default)]
pub(crate) struct Side {
    group: Arc<Group>,
    tasks: Mutex<Tasks>,
}

#[derive(Default)]
struct Tasks {
    cancelled: bool,
    running: Vec<AbortHandle>,
    /// How many there may be before the ended ones are put away.
    room: usize,
}

impl Side {
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.group.is_idle()
    }

    pub(crate) async fn idle(&self) {
        self.group.idle().await;
    }

    /// Ends all of it, and lets nothing new begin; returns when nothing is alive.
    pub(crate) async fn cancel(&self) {
        let running = {
            let mut tasks = self.tasks.lock();
            tasks.cancelled = true;
            std::mem::take(&mut tasks.running)
        };
        running.iter().for_each(AbortHandle::abort);
        self.idle().await;
    }
}

impl Scope {
    /// Starts work in the background, for this sequencer, in its request.
    pub(crate) fn queue(self: &Arc<Self>, work: impl Future<Output = Result<()>> + Send + 'static) {
        let request: &Request = self.request();
        let side = request.side();
        let mut tasks = side.tasks.lock();
        if tasks.cancelled {
            return;
        }
        let own = self.frame().side.get_or_init(Arc::default).clone();
        let live = (side.group.clone().begin(), request.running());
        let mine = own.clone().begin();
        let task = spawn(request.inside(async move {
            if let Err(error) = guarded(work).await {
                tracing::warn!(code = error.code(), path = error.path(), %error, "a side chain failed");
                own.failed.lock().get_or_insert(error);
            }
            // the sequencer's own count first: who waits for it finds the failure there
            drop((mine, live));
        }));
        if tasks.running.len() >= tasks.room {
            tasks.running.retain(|task| !task.is_finished());
            tasks.room = 16 + 2 * tasks.running.len();
        }
        tasks.running.push(task.abort_handle());
    }

    /// The work that this sequencer has queued, if it has.
    pub(crate) fn side(&self) -> Option<&Arc<Group>> {
        self.frame().side.get()
    }
}
