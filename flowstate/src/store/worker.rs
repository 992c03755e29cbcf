//! A thread that does a store's blocking work, all that has come up meanwhile in one go.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use serde_json::Value;
use tokio::sync::oneshot;

use super::{Answer, Key, Record, Swap};
use crate::error::BoxError;
use crate::schema::Reach;

/// How much is done in one go.
const BATCH: usize = 512;

/// Loads and swaps, on the worker's thread.
pub(super) trait Work: Sized + 'static {
    /// What the worker makes it of.
    type Open: Send + 'static;
    fn open(from: Self::Open) -> Result<Self, BoxError>;
    fn load(&mut self, key: &Key) -> Result<Option<Record>, BoxError>;
    fn swap(&mut self, key: &Key, expected: Option<u64>, value: &Value) -> Result<Swap, BoxError>;
    fn remove(&mut self, reach: Reach, id: &str) -> Result<(), BoxError>;
    /// Does several jobs, all or none of which come to stay.
    fn together(&mut self, jobs: &mut dyn FnMut(&mut Self)) -> Result<(), BoxError> {
        jobs(self);
        Ok(())
    }
}

type Reply<T> = oneshot::Sender<Result<T, BoxError>>;

enum Job {
    Load(Key, Reply<Option<Record>>),
    Write(Write),
}

enum Write {
    Swap(Key, Option<u64>, Value, Reply<Swap>),
    Remove(Reach, String, Reply<()>),
}

/// What a write gave, and who waits for it.
enum Written {
    Swap(Result<Swap, BoxError>, Reply<Swap>),
    Remove(Result<(), BoxError>, Reply<()>),
}

/// The worker; clones share it. Its thread ends with the last of them.
#[derive(Clone)]
pub(super) struct Worker(Arc<Inner>);

struct Inner {
    /// `None` when it is being dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // so that what it has open is closed when the store is gone
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Worker {
    pub(super) async fn start<W: Work>(from: W::Open) -> Result<Self, BoxError> {
        let (jobs, todo) = channel();
        let (opened, open) = oneshot::channel();
        let thread =
            Builder::new().name("flowstate store".to_owned()).spawn(move || {
                match W::open(from) {
                    Ok(work) => {
                        let _ = opened.send(Ok(()));
                        run(work, &todo);
                    }
                    Err(error) => drop(opened.send(Err(error))),
                }
            })?;
        let worker = Self(Arc::new(Inner { jobs: Some(jobs), thread: Some(thread) }));
        open.await.map_err(|_| BoxError::from("the store's thread has ended"))??;
        Ok(worker)
    }

    pub(super) fn load(&self, key: &Key) -> Answer<'_, Option<Record>> {
        let key = key.clone();
        self.ask(|reply| Job::Load(key, reply))
    }

    pub(super) fn swap(&self, key: &Key, expected: Option<u64>, value: Value) -> Answer<'_, Swap> {
        let key = key.clone();
        self.ask(|reply| Job::Write(Write::Swap(key, expected, value, reply)))
    }

    pub(super) fn remove(&self, reach: Reach, id: &str) -> Answer<'_, ()> {
        let id = id.to_owned();
        self.ask(|reply| Job::Write(Write::Remove(reach, id, reply)))
    }

    fn ask<T: Send + 'static>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Answer<'_, T> {
        let (reply, answer) = oneshot::channel();
        if let Some(jobs) = &self.0.jobs {
            // where the thread has ended, so has its end of the answer
            let _ = jobs.send(job(reply));
        }
        Box::pin(async {
            answer.await.map_err(|_| BoxError::from("the store's thread has ended"))?
        })
    }
}

/// Does what comes, until nobody can ask any more.
fn run<W: Work>(mut work: W, todo: &Receiver<Job>) {
    while let Ok(first) = todo.recv() {
        let mut jobs = vec![first];
        while jobs.len() < BATCH
            && let Ok(next) = todo.try_recv()
        {
            jobs.push(next);
        }
        batch(&mut work, jobs);
    }
}

fn batch<W: Work>(work: &mut W, jobs: Vec<Job>) {
    let (mut loads, mut writes) = (Vec::new(), Vec::new());
    for job in jobs {
        match job {
            Job::Load(key, reply) => loads.push((key, reply)),
            Job::Write(write) => writes.push(write),
        }
    }
    if !writes.is_empty() {
        let (mut writes, mut done) = (writes.into_iter(), Vec::new());
        let stayed = work.together(&mut |work| {
            done.extend(writes.by_ref().map(|write| match write {
                Write::Swap(key, expected, value, reply) => {
                    Written::Swap(work.swap(&key, expected, &value), reply)
                }
                Write::Remove(reach, id, reply) => Written::Remove(work.remove(reach, &id), reply),
            }));
        });
        let failed = stayed.err().map(|error| error.to_string());
        done.into_iter().for_each(|written| written.tell(failed.as_deref()));
        // of those that could not even begin
        let why = failed.unwrap_or_default();
        writes.for_each(|write| write.fail(&why));
    }
    for (key, reply) in loads {
        let _ = reply.send(work.load(&key));
    }
}

impl Written {
    /// Answers with what it gave, or with why nothing came to stay.
    fn tell(self, failed: Option<&str>) {
        fn of<T>(done: Result<T, BoxError>, failed: Option<&str>) -> Result<T, BoxError> {
            failed.map_or(done, |why| Err(why.into()))
        }
        match self {
            Self::Swap(done, reply) => drop(reply.send(of(done, failed))),
            Self::Remove(done, reply) => drop(reply.send(of(done, failed))),
        }
    }
}

impl Write {
    fn fail(self, why: &str) {
        match self {
            Self::Swap(.., reply) => drop(reply.send(Err(why.into()))),
            Self::Remove(.., reply) => drop(reply.send(Err(why.into()))),
        }
    }
}
