//! A request that was started: its items as they come, and its output.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::StreamExt;

use crate::error::{Result, stopped as stopped_by};
use crate::item::{Event, EventKind, Item, Outcome};
use crate::scope::{Request, Stream};
use crate::sync::JoinHandle;

/// A request that runs. As a stream it gives each item once, when it is final.
///
/// Dropping it lets the request run on, and nobody listens any more.
pub struct Run<O> {
    stream: Arc<Stream>,
    request: Arc<Request>,
    task: JoinHandle<Result<O>>,
}

impl<O> fmt::Debug for Run<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}

impl<O> Run<O> {
    pub(super) fn new(
        stream: Arc<Stream>,
        request: Arc<Request>,
        task: JoinHandle<Result<O>>,
    ) -> Self {
        Self { stream, request, task }
    }

    /// The next item that is final; `None` when it has ended and all were given.
    ///
    /// ```
    /// use flowstate::prelude::*;
    ///
    /// #[block(handler)]
    /// async fn greet(name: String, ctx: Ctx) -> Result<usize> {
    ///     ctx.message(format!("hello, {name}"));
    ///     Ok(name.len())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let mut run = App::builder().build()?.start(greet, "you".to_string()).await?;
    /// while let Some(item) = run.next_item().await {
    ///     assert_eq!(item.message(), Some("hello, you"));
    /// }
    /// assert_eq!(run.output().await?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next_item(&mut self) -> Option<Arc<Item>> {
        StreamExt::next(self).await
    }

    /// Its events: each with its number, the last one says how it ended.
    pub fn events(&mut self) -> Events<'_, O> {
        Events(self)
    }

    /// Its output, once it has ended.
    ///
    /// # Errors
    /// The block's own; `cancelled` where the request was cancelled.
    pub async fn output(mut self) -> Result<O> {
        // nobody reads the items from here on
        self.stream.close();
        match (&mut self.task).await {
            Ok(done) => done,
            Err(stopped) => Err(stopped_by(stopped)),
        }
    }

    /// Cancels it, and returns when nothing of it is alive: where it is the request of an action, when `on_finished` has run
    /// and its session has noted it.
    ///
    /// That takes as long as the hook does, and what its blocks do without an `await`: `timeout(limit, run.cancel())`, of
    /// `tokio::time`, waits no longer than that. Once it was polled, dropping it takes nothing back: the request still ends. A
    /// request that cancels itself is dropped there.
    pub async fn cancel(mut self) {
        self.task.abort();
        self.request.cancel().await;
        let _ = (&mut self.task).await;
        self.request.ending().idle().await;
    }
}

impl<O> Drop for Run<O> {
    fn drop(&mut self) {
        self.stream.close();
    }
}

impl<O> futures_util::Stream for Run<O> {
    type Item = Arc<Item>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Arc<Item>>> {
        while let Some(event) = std::task::ready!(self.stream.poll(cx)) {
            if let EventKind::Done(item) = event.kind {
                return Poll::Ready(Some(item));
            }
        }
        Poll::Ready(None)
    }
}

/// The events of a request, as a stream.
#[derive(Debug)]
pub struct Events<'a, O>(&'a mut Run<O>);

impl<O> Events<'_, O> {
    /// The next one; `None` after the last.
    pub async fn next_event(&mut self) -> Option<Event> {
        StreamExt::next(self).await
    }
}

impl<O> futures_util::Stream for Events<'_, O> {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.0.stream.poll(cx)
    }
}

/// Says how the request ended, also where it is dropped.
pub(super) struct Ending(pub(super) Arc<Stream>);

impl Ending {
    pub(super) fn of<O>(&self, done: &Result<O>) {
        if let Err(error) = done {
            self.0.failed(error);
        }
        self.0.end(outcome(done));
    }
}

pub(super) fn outcome<O>(done: &Result<O>) -> Outcome {
    match done {
        Ok(_) => Outcome::Completed,
        Err(error) => Outcome::Failed { code: error.code().to_owned(), message: error.to_string() },
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // the first word counts, so this one does where the request was cancelled
        self.0.end(Outcome::Cancelled);
    }
}
