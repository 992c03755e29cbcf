//! What a request's listener is sent: a queue of events that never loses an item, and loses text only to a slow listener.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Scope;
use crate::error::Error;
use crate::item::{Event, EventKind, Failure, Item, ItemKind, Items, Outcome, StateChange, Status};
use crate::state::Change;
use crate::sync::{AtomicBool, Mutex};

/// How many events a listener may be behind before it loses text.
const BEHIND: usize = if cfg!(shuttle) { 4 } else { 1024 };

/// The events of one request, on their way to its listener, and to the sequencers that wait for one of them.
#[expect(missing_debug_implementations, reason = "nobody has one")]
pub struct Stream {
    inner: Mutex<Inner>,
    listening: AtomicBool,
    /// Whether its items are kept, for those that wait.
    keeps: bool,
    /// Whether those that last are kept, for the session.
    records: bool,
}

#[derive(Default)]
struct Inner {
    events: VecDeque<EventKind>,
    /// How many deltas are in the queue.
    deltas: usize,
    lost: u64,
    /// Items that have lost some of their text: the rest of it comes with the item itself.
    skipping: HashSet<u64>,
    sent: u64,
    items: u64,
    status: String,
    ended: bool,
    waker: Option<Waker>,
    /// The items so far, where they are kept.
    kept: Items,
    waiting: Vec<UnboundedSender<EventKind>>,
}

impl Stream {
    /// One with a listener; whether some block waits for its items, and whether its session keeps them.
    pub(crate) fn new(keeps: bool, records: bool) -> Arc<Self> {
        Self::made(true, keeps, records)
    }

    /// One without a listener, where some block waits for its items, or its session keeps them.
    #[inline]
    pub(crate) fn unheard(keeps: bool, records: bool) -> Option<Arc<Self>> {
        (keeps || records).then(|| Self::made(false, keeps, records))
    }

    fn made(listening: bool, keeps: bool, records: bool) -> Arc<Self> {
        let listening = AtomicBool::new(listening);
        Arc::new(Self { inner: Mutex::default(), listening, keeps, records })
    }

    /// The items that are kept when the request has ended.
    pub(super) fn lasting(&self) -> Vec<Arc<Item>> {
        let lasts = |item: &&Arc<Item>| item.is_final() && lasts(item);
        self.inner.lock().kept.iter().filter(lasts).cloned().collect()
    }

    /// Whether somebody sees what changes.
    pub(super) fn is_watched(&self) -> bool {
        self.keeps || self.listening.load(Ordering::Relaxed)
    }

    /// The items as they are now, and each event from here on.
    fn follow(&self) -> (Items, UnboundedReceiver<EventKind>) {
        let (sender, events) = unbounded_channel();
        let mut inner = self.inner.lock();
        inner.waiting.push(sender);
        (inner.kept.clone(), events)
    }

    /// Nobody listens any more: from here on nothing is built, unless some block waits for it.
    pub(crate) fn close(&self) {
        self.listening.store(false, Ordering::Relaxed);
        self.inner.lock().events.clear();
    }

    pub(crate) fn is_open(&self) -> bool {
        self.records || self.is_watched()
    }

    /// A new item; its number comes when it is sent.
    pub(super) fn item(block: &str, path: String, status: Status, kind: ItemKind) -> Item {
        Item {
            index: 0,
            block: block.to_owned(),
            path,
            time: now(),
            status,
            visibility: kind.visibility(),
            transient: false,
            key: None,
            kind,
        }
    }

    /// The status line, where it is another than before.
    pub(super) fn status(&self, text: &str, item: impl FnOnce() -> Item) {
        self.send(|inner| {
            if inner.status == text {
                return None;
            }
            text.clone_into(&mut inner.status);
            Some(EventKind::Done(Arc::new(inner.numbered(item()))))
        });
    }

    /// A change of a block's state, as an item.
    pub(super) fn change(&self, block: &str, path: &str, change: Change) {
        if !self.is_watched() {
            return;
        }
        let Change { state, field, delta, version } = change;
        let kind = ItemKind::StateChange(StateChange::new(block, state, field, delta, version));
        let mut item = Self::item(block, path.to_owned(), Status::Completed, kind);
        item.transient = true;
        self.whole(item);
    }

    /// The failure that ended the request, as an item.
    pub(crate) fn failed(&self, error: &Error) {
        let kind = ItemKind::Error(Failure::new(error.to_string(), error.code()));
        let block = error.block().unwrap_or_default();
        self.whole(Self::item(block, error.path().to_owned(), Status::Failed, kind));
    }

    /// A new item that is final.
    pub(super) fn whole(&self, item: Item) {
        self.send(|inner| Some(EventKind::Done(Arc::new(inner.numbered(item)))));
    }

    /// A new item that has begun.
    pub(super) fn added(&self, item: &mut Item) {
        self.send(|inner| {
            item.index = inner.next_index();
            Some(EventKind::Added(Arc::new(item.clone())))
        });
    }

    pub(super) fn updated(&self, item: &Item) {
        self.push(EventKind::Updated(Arc::new(item.clone())));
    }

    pub(super) fn done(&self, item: Item) {
        self.push(EventKind::Done(Arc::new(item)));
    }

    pub(super) fn delta(&self, index: u64, text: &str) {
        self.push(EventKind::Delta { index, text: text.to_owned() });
    }

    pub(crate) fn end(&self, outcome: Outcome) {
        self.push(EventKind::Ended(outcome));
    }

    fn push(&self, event: EventKind) {
        self.send(|_| Some(event));
    }

    /// Made under the lock, so that items are numbered in the order in which they are sent.
    fn send(&self, make: impl FnOnce(&mut Inner) -> Option<EventKind>) {
        if !self.is_open() {
            return;
        }
        let waker = {
            let mut inner = self.inner.lock();
            if inner.ended {
                return;
            }
            let Some(event) = make(&mut inner) else { return };
            if self.keeps || self.records {
                inner.keep(&event);
            }
            if self.listening.load(Ordering::Relaxed) {
                inner.take(event);
            }
            inner.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The next event, in order; `None` after the last.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut inner = self.inner.lock();
        let next = if inner.lost > 0 {
            let lost = std::mem::take(&mut inner.lost);
            Some(EventKind::Lagged { lost })
        } else {
            inner.events.pop_front()
        };
        match next {
            Some(kind) => {
                inner.deltas -= usize::from(matches!(kind, EventKind::Delta { .. }));
                inner.sent += 1;
                Poll::Ready(Some(Event { sequence: inner.sent, kind }))
            }
            None if inner.ended => Poll::Ready(None),
            None => {
                inner.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Inner {
    fn next_index(&mut self) -> u64 {
        self.items += 1;
        self.items - 1
    }

    fn numbered(&mut self, item: Item) -> Item {
        Item { index: self.next_index(), ..item }
    }

    fn keep(&mut self, event: &EventKind) {
        if self.kept.take(event).is_some() {
            self.waiting.retain(|waiting| waiting.send(event.clone()).is_ok());
        }
    }

    fn take(&mut self, event: EventKind) {
        match &event {
            EventKind::Delta { index, .. } => {
                if self.events.len() >= BEHIND || self.skipping.contains(index) {
                    self.lost += 1;
                    self.skipping.insert(*index);
                    return;
                }
                self.deltas += 1;
            }
            EventKind::Done(item) => {
                self.skipping.remove(&item.index);
                self.make_room();
            }
            EventKind::Ended(_) => self.ended = true,
            _ => self.make_room(),
        }
        self.events.push_back(event);
    }

    /// Items are never lost, so text gives way to them, the newest first: what an item has lost is lost to its end.
    fn make_room(&mut self) {
        if self.events.len() < BEHIND || self.deltas == 0 {
            return;
        }
        let newest = self.events.iter().rposition(|event| matches!(event, EventKind::Delta { .. }));
        if let Some(EventKind::Delta { index, .. }) = newest.and_then(|at| self.events.remove(at)) {
            self.deltas -= 1;
            self.lost += 1;
            self.skipping.insert(index);
        }
    }
}

impl Scope {
    /// The items of the request as they are now, and each event from here on.
    pub(crate) fn follow(&self) -> (Items, UnboundedReceiver<EventKind>) {
        let stream = self.request().stream();
        // a tree that waits has them; where a block by hand hides its children there are none, and no event comes
        stream.map_or_else(|| (Items::default(), unbounded_channel().1), |stream| stream.follow())
    }
}

/// Whether an item is more than news of the moment.
fn lasts(item: &Item) -> bool {
    !item.transient && !matches!(item.kind, ItemKind::StateChange(_) | ItemKind::Status(_))
}

/// Milliseconds since 1970, by the system's clock.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
