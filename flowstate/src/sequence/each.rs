//! `for_each`: one block for each item, in order, several at once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;

use super::Site;
use crate::block::{Block, Takes, dispatch};
use crate::error::{Error, Result};
use crate::scope::{Place, Scope};

type Items<T> = Box<dyn Iterator<Item = T> + Send>;

/// A value that `for_each` can go through.
#[diagnostic::on_unimplemented(
    message = "`for_each` cannot go through `{Self}`",
    label = "the value at this step is `{Self}`, which has no items",
    note = "`for_each` wants a `Vec` or another iterable value; a connector can make one: `for_each(|value| …, block)`"
)]
pub trait Many {
    /// What it holds.
    type Item;
    /// All of it, in order.
    fn items(self) -> Items<Self::Item>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<IntoIter: Send + 'static>> Many for I {
    type Item = I::Item;
    fn items(self) -> Items<I::Item> {
        Box::new(self.into_iter())
    }
}

/// A block that is to run for each item of a value.
pub struct ForEach<'a, B: Block> {
    block: B,
    items: Items<B::Input>,
    scope: &'a Arc<Scope>,
    place: Place,
    limit: usize,
}

impl<B: Block> fmt::Debug for ForEach<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ForEach({}, {:?})", B::HEAD.name, self.scope)
    }
}

impl<'a, C> Site<'a, C> {
    /// Runs a block for each item of the value; the outputs, in order, are the value from here on.
    ///
    /// `for_each(block)`, `for_each(block, max_concurrency = 8)`, `for_each(|value| …, block)`. The first error ends
    /// it: nothing new starts, and all other runs have been dropped before it returns.
    #[inline]
    pub fn for_each<V, B>(self, value: V, block: B) -> ForEach<'a, B>
    where
        V: Many,
        B: Takes<V::Item>,
    {
        ForEach { block, items: value.items(), scope: self.scope, place: self.place, limit: 64 }
    }
}

/// The items still to come, and the outputs so far.
struct Queue<T, O> {
    items: Items<T>,
    next: u32,
    /// The outputs of the first items, without a gap.
    done: Vec<O>,
    /// Outputs that came before an earlier one.
    early: BTreeMap<u32, O>,
}

impl<T, O> Queue<T, O> {
    fn pull(&mut self) -> Option<(u32, T)> {
        let item = self.items.next()?;
        self.next += 1;
        Some((self.next - 1, item))
    }

    fn put(&mut self, index: u32, output: O) {
        if self.done.len() == index as usize {
            self.done.push(output);
            while !self.early.is_empty()
                && let Some(output) =
                    u32::try_from(self.done.len()).ok().and_then(|next| self.early.remove(&next))
            {
                self.done.push(output);
            }
        } else {
            self.early.insert(index, output);
        }
    }
}

impl<B: Block> ForEach<'_, B> {
    #[doc(hidden)]
    #[must_use]
    pub fn max_concurrency(mut self, limit: usize) -> Self {
        self.limit = limit.max(1);
        self
    }

    #[doc(hidden)]
    pub async fn go(self) -> Result<Vec<B::Output>> {
        let Self { block, items, scope, place, limit } = self;
        let done = Vec::with_capacity(items.size_hint().0);
        let all = Mutex::new(Queue { items, next: 0, done, early: BTreeMap::new() });
        let (block, queue) = (&block, &all);
        let worker = || async move {
            loop {
                let Some((lane, item)) = queue.lock().pull() else { return Ok::<(), Error>(()) };
                let at = scope.child(Place { lane: Some(lane), ..place });
                let output = dispatch(block, item, at).await?;
                queue.lock().put(lane, output);
            }
        };
        let mut workers = FuturesUnordered::new();
        for _ in 0..limit {
            workers.push(worker());
        }
        while let Some(ended) = workers.next().await {
            ended?;
        }
        drop(workers);
        Ok(all.into_inner().done)
    }
}
