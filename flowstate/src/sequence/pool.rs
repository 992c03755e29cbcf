//! Many runs at once, a bounded number of them at a time: what `for_each` stands on.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::error::{Result, stopped as stopped_by};
use crate::sync::{AbortHandle, Mutex, spawn};

pub(super) type Items<T> = Box<dyn Iterator<Item = T> + Send>;

/// The items still to come, and the outputs so far.
pub(super) struct Queue<T, O>(Mutex<Inner<T, O>>);

struct Inner<T, O> {
    items: Items<T>,
    /// The index of the next item; `None` where nothing new starts: there is no more, or an item has failed.
    next: Option<u32>,
    /// The outputs of the first items, without a gap.
    done: Vec<O>,
    /// The outputs after the gap: that of the first item which is not done, and on.
    early: VecDeque<Option<O>>,
}

impl<T, O> Queue<T, O> {
    pub(super) fn new(items: Items<T>) -> Self {
        // a hint is only a hint: one that cannot be met is not taken
        let mut done = Vec::new();
        let _ = done.try_reserve_exact(items.size_hint().0);
        Self(Mutex::new(Inner { items, next: Some(0), done, early: VecDeque::new() }))
    }

    fn pull(&self) -> Option<(u32, T)> {
        let mut inner = self.0.lock();
        // taken first: after its end, or a panic, an iterator is not asked again
        let index = inner.next.take()?;
        let item = inner.items.next()?;
        inner.next = index.checked_add(1);
        Some((index, item))
    }

    fn put(&self, index: u32, output: O) {
        let mut inner = self.0.lock();
        let inner = &mut *inner;
        let ahead = index as usize - inner.done.len();
        if ahead > 0 {
            if ahead >= inner.early.len() {
                inner.early.resize_with(ahead + 1, || None);
            }
            inner.early[ahead] = Some(output);
            return;
        }
        inner.done.push(output);
        inner.early.pop_front();
        while let Some(next) = inner.early.front_mut().and_then(Option::take) {
            inner.done.push(next);
            inner.early.pop_front();
        }
    }

    fn stop(&self) {
        self.0.lock().next = None;
    }

    fn take(&self) -> Vec<O> {
        std::mem::take(&mut self.0.lock().done)
    }
}

/// Runs this item, and others one after the other until none is left.
async fn work<T, O, F: Future<Output = Result<O>>>(
    first: (u32, T),
    queue: &Queue<T, O>,
    run: impl Fn(u32, T) -> F,
) -> Result<()> {
    let mut next = Some(first);
    while let Some((index, item)) = next {
        match run(index, item).await {
            Ok(output) => {
                queue.put(index, output);
                next = queue.pull();
            }
            Err(error) => {
                queue.stop();
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Runs all items in this task, at most `limit` at once.
pub(super) async fn here<T, O, F: Future<Output = Result<O>>>(
    queue: &Queue<T, O>,
    limit: usize,
    run: impl Fn(u32, T) -> F,
) -> Result<Vec<O>> {
    workers(queue, limit, &run).await?;
    Ok(queue.take())
}

pub(super) async fn workers<T, O, F: Future<Output = Result<O>>>(
    queue: &Queue<T, O>,
    limit: usize,
    run: &impl Fn(u32, T) -> F,
) -> Result<()> {
    let mut workers = FuturesUnordered::new();
    // one more where all that are there wait: begun at once, the first would run far ahead of what the others have taken
    std::future::poll_fn(|cx| {
        loop {
            match workers.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(()))) => {}
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error)),
                waits => {
                    let first = if workers.len() < limit { queue.pull() } else { None };
                    match first {
                        Some(first) => workers.push(work(first, queue, run)),
                        None => return waits.map(|_| Ok(())),
                    }
                }
            }
        }
    })
    .await
}

/// On how many tasks of their own so many items run: one a core on a runtime with several threads, else none.
pub(super) fn tasks(limit: usize, items: usize) -> usize {
    match Handle::try_current() {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            let cores = handle.metrics().num_workers();
            if items < 2 || cores < 2 { 0 } else { cores.min(limit).min(items) }
        }
        _ => 0,
    }
}

pub(super) type Work = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// One task's share of the work, which the caller can take away from it.
struct Lane(Mutex<Option<Work>>);

/// Takes the work from all lanes when it is dropped: what runs has then been dropped, on whatever thread it was. The
/// tasks, which nothing would wake any more, are told to end.
struct Lanes(Vec<(Arc<Lane>, AbortHandle)>);

impl Drop for Lanes {
    fn drop(&mut self) {
        for (lane, task) in &self.0 {
            drop(lane.0.lock().take());
            task.abort();
        }
    }
}

struct Drive(Arc<Lane>);

impl Future for Drive {
    type Output = Result<()>;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let mut work = self.0.0.lock();
        let Some(running) = work.as_mut() else { return Poll::Ready(Ok(())) };
        let polled = running.as_mut().poll(cx);
        if polled.is_ready() {
            *work = None;
        }
        polled
    }
}

/// Runs all items on `tasks` tasks, at most `limit` at once in all; `lane` makes one task's share of the work. An error
/// or a drop ends them all first.
pub(super) async fn spread<T: Send + 'static, O: Send + 'static>(
    queue: Queue<T, O>,
    tasks: usize,
    limit: usize,
    lane: impl Fn(Arc<Queue<T, O>>, usize) -> Work,
) -> Result<Vec<O>> {
    let queue = Arc::new(queue);
    let mut lanes = Lanes(Vec::with_capacity(tasks));
    let mut ends = FuturesUnordered::new();
    for index in 0..tasks {
        let share = limit / tasks + usize::from(index < limit % tasks);
        let lane = Arc::new(Lane(Mutex::new(Some(lane(queue.clone(), share)))));
        let task = spawn(Drive(lane.clone()));
        lanes.0.push((lane, task.abort_handle()));
        ends.push(task);
    }
    while let Some(end) = ends.next().await {
        match end {
            Ok(ended) => ended?,
            Err(stopped) => return Err(stopped_by(stopped)),
        }
    }
    Ok(queue.take())
}
