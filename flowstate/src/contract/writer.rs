//! The writer of a contract: one a request, whose commits are made one at a time.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Mutex as Turns;

use super::Contract;
use super::event::Event;
use crate::error::{Result, WriterTaken};
use crate::scope::{Base, Feed, Run};
use crate::state::Write;
use crate::sync::Mutex;

/// What the blocks of a request share of one contract.
struct Desk<S> {
    turns: Turns<()>,
    /// The run that has opened the writer, and its path.
    holder: Mutex<Option<(Run, String)>>,
    of: PhantomData<fn() -> S>,
}

impl<S> Default for Desk<S> {
    fn default() -> Self {
        Self { turns: Turns::default(), holder: Mutex::default(), of: PhantomData }
    }
}

impl<S: Contract> Desk<S> {
    fn free_for(&self, run: Run) -> Result<(), WriterTaken> {
        match &*self.holder.lock() {
            Some((holder, path)) if *holder != run => {
                Err(WriterTaken::new(S::DEF.name, path.clone()))
            }
            _ => Ok(()),
        }
    }
}

/// What a block's run writes a contract with.
#[doc(hidden)]
pub struct Writer<'a, S> {
    base: Base<'a>,
    run: Run,
    of: PhantomData<fn() -> S>,
}

impl<S> Clone for Writer<'_, S> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'a, S: Contract> Writer<'a, S> {
    #[must_use]
    pub fn new(base: Base<'a>) -> Self {
        Self { base, run: base.run(), of: PhantomData }
    }

    fn desk(&self) -> Arc<Desk<S>> {
        self.base.current_request().one()
    }

    /// Applies all of them and stores what comes out; or nothing, where one is rejected.
    pub fn commit(&self, events: Vec<Event<S>>) -> Write<'a, bool> {
        let Self { base, run, .. } = *self;
        let desk = self.desk();
        Write::new(async move {
            base.turn(S::DEF.id).await;
            let _turn = desk.turns.lock().await;
            desk.free_for(run)?;
            let kept = base.current_request().contract::<S>().await?;
            kept.commit(|state| Ok(events.iter().try_for_each(|event| event.apply(state))?)).await
        })
    }

    /// Makes this run the only one of the request that writes, if none is.
    pub async fn open(&self) -> Result<Opened<S::Writes<'a>, Reader<'a, S>>> {
        self.base.turn(S::DEF.id).await;
        let desk = self.desk();
        // (also of a commit that another run has begun)
        let _turn = desk.turns.lock().await;
        let free = desk.free_for(self.run);
        if free.is_ok() {
            *desk.holder.lock() = Some((self.run, self.base.path()));
        }
        Ok(match free {
            Ok(()) => Opened::Writer(S::writes(self.clone())),
            Err(taken) => Opened::Reader(Reader { base: self.base, taken, of: PhantomData }),
        })
    }
}

impl<S> fmt::Debug for Writer<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Writer({})", self.base.path())
    }
}

/// What [`open`](crate::guide::contracts) gives: the first block of a request that opens a contract writes it, later ones read it.
#[derive(Debug)]
#[must_use = "it says whether the block may write"]
pub enum Opened<W, R> {
    /// The block alone writes the contract until the request ends.
    Writer(W),
    /// Another block does.
    Reader(R),
}

impl<W, S> Opened<W, Reader<'_, S>> {
    /// The writer.
    ///
    /// # Errors
    /// `writer_taken`, with the path of the block that has it.
    pub fn writer(self) -> Result<W> {
        match self {
            Self::Writer(writer) => Ok(writer),
            Self::Reader(reader) => Err(reader.taken.into()),
        }
    }
}

/// A contract that another block of the request writes.
pub struct Reader<'a, S> {
    base: Base<'a>,
    taken: WriterTaken,
    of: PhantomData<fn() -> S>,
}

impl<S: Contract> Reader<'_, S> {
    /// What was committed last.
    ///
    /// # Errors
    /// `store_failed`, `state_newer`.
    pub async fn get(&self) -> Result<Arc<S>> {
        self.base.current_request().contract::<S>().await?.fresh().await
    }

    /// The path of the block that has the writer.
    #[must_use]
    pub fn holder(&self) -> &str {
        self.taken.holder()
    }
}

impl<S> fmt::Debug for Reader<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({})", self.taken)
    }
}

struct Fed<S>(Vec<Event<S>>);

impl<S: Contract> Feed for Fed<S> {
    fn commit<'a>(
        self: Box<Self>,
        base: Base<'a>,
        run: Run,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> {
        let write = Writer { base, run, of: PhantomData }.commit(self.0);
        Box::pin(async move { write.await.map(drop) })
    }
}

/// The updates of a contract that a tool feeds.
#[doc(hidden)]
#[must_use]
pub fn fed<S: Contract>(events: Vec<Event<S>>) -> Box<dyn Feed> {
    Box::new(Fed(events))
}
