//! `for_each`: one block for each item, in order, several at once.

use std::fmt;
use std::sync::Arc;

use super::Site;
use super::pool::{self, Items, Queue};
use crate::block::{Block, Takes, dispatch, dispatch_in};
use crate::error::Result;
use crate::scope::{At, Link, Place, Scope};
use crate::state::Cells;

/// How many items run at once where nothing else is said.
pub(super) const CONCURRENCY: usize = 64;

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
    fn items(self) -> Box<dyn Iterator<Item = Self::Item> + Send>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<IntoIter: Send + 'static>> Many for I {
    type Item = I::Item;
    fn items(self) -> Items<I::Item> {
        Box::new(self.into_iter())
    }
}

/// A block that is to run for each item of a value.
pub struct ForEach<'a, B: Block, X> {
    block: &'a B,
    items: Items<B::Input>,
    scope: &'a Arc<Scope>,
    cells: &'a X,
    place: Place,
    limit: usize,
}

impl<B: Block, X> fmt::Debug for ForEach<'_, B, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ForEach({}, {:?})", B::HEAD.name, self.scope)
    }
}

impl<C, X: Cells> Site<'_, C, X> {
    /// Runs a block for each item of the value; the outputs, in order, are the value from here on.
    ///
    /// `for_each(block)`, `for_each(block, max_concurrency = 8)`, `for_each(|value| …, block)`. The first error ends
    /// it: nothing new starts, and all other runs have been dropped before it returns.
    #[inline]
    pub fn for_each<'s, V, B>(&'s self, value: V, block: &'s B) -> ForEach<'s, B, X>
    where
        V: Many,
        B: Takes<V::Item>,
    {
        self.each(value.items(), block)
    }

    pub(super) fn each<'s, B: Block>(
        &'s self,
        items: Items<B::Input>,
        block: &'s B,
    ) -> ForEach<'s, B, X> {
        let (scope, cells, place) = (self.seq.scope, self.seq.cells, self.link.place());
        ForEach { block, items, scope, cells, place, limit: CONCURRENCY }
    }

    /// As [`for_each`](Self::for_each), with a function that picks a block for each item.
    #[doc(hidden)]
    pub async fn for_each_by<P, V, O, F>(
        &self,
        value: V,
        limit: Option<usize>,
        pick: impl Fn(&V::Item, usize, &C) -> P,
        run: impl Fn(P, Self, V::Item) -> F,
    ) -> Result<Vec<O>>
    where
        V: Many,
        F: Future<Output = Result<O>>,
    {
        let queue = Queue::new(value.items());
        pool::here(&queue, limit.unwrap_or(CONCURRENCY).max(1), |lane, item| {
            let picked = pick(&item, lane as usize, self.seq.ctx);
            run(picked, self.lane(lane), item)
        })
        .await
    }

    /// The same operation for one of its items, branches or iterations.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn lane(&self, lane: u32) -> Self {
        let place = Place { lane: Some(lane), ..self.link.place() };
        Site { link: Link::under(self.seq.scope, place), seq: self.seq }
    }
}

impl<B: Block, X: Cells> ForEach<'_, B, X> {
    #[doc(hidden)]
    #[must_use]
    pub fn max_concurrency(mut self, limit: usize) -> Self {
        self.limit = limit.max(1);
        self
    }

    #[doc(hidden)]
    pub fn go(self) -> impl Future<Output = Result<Vec<B::Output>>> + Send {
        async move {
            let Self { block, items, scope, cells, place, limit } = self;
            each(block, items, scope, Some(cells), place, limit).await
        }
    }
}

/// A block for each item: in this task, or on one task a core.
pub(super) async fn each<B: Block, X: Cells>(
    block: &B,
    items: Items<B::Input>,
    scope: &Arc<Scope>,
    cells: Option<&X>,
    place: Place,
    limit: usize,
) -> Result<Vec<B::Output>> {
    let tasks = pool::tasks(limit, items.size_hint().1.unwrap_or(usize::MAX));
    let queue = Queue::new(items);
    if tasks == 0 {
        let run = |lane, item| async move {
            let link = Link::under(scope, Place { lane: Some(lane), ..place });
            dispatch_in(block, item, At::new(&link), cells).await
        };
        return pool::here(&queue, limit, run).await;
    }
    let lane = |queue: Arc<Queue<_, _>>, share| -> pool::Work {
        let (block, scope) = (block.clone(), scope.clone());
        Box::pin(async move {
            let (block, scope) = (&block, &scope);
            let run = |lane, item| async move {
                let link = Link::under(scope, Place { lane: Some(lane), ..place });
                dispatch(block, item, At::new(&link)).await
            };
            pool::workers(&queue, share, &run).await
        })
    };
    pool::spread(queue, tasks, limit, lane).await
}
