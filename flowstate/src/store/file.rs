//! A store of JSON files.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::thread;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::worker::{Work, Worker};
use super::{Answer, Key, Record, Store, Swap};
use crate::error::{BoxError, Result, StoreError};
use crate::schema::Reach;

/// Keeps states as JSON files that people can read: one for each session, user and organisation. For work on one's own
/// machine; clones share it, a second process is refused.
///
/// `session/s1.json` is `{ "visits": { "version": 3, "value": { "count": 3 } } }`. A write is on the disk when it is
/// acknowledged, and a file is the old one or the new one, never half of it; writes that come at one time are synced together.
/// `removed.json` has the highest version of all that was removed: new states begin above it. Lower-case letters, digits, `-` and
/// `_` of an id stand for themselves in the file's name; other characters are `%` and their bytes.
///
/// ```
/// use flowstate::prelude::*;
/// use flowstate::store::FileStore;
///
/// #[state]
/// pub struct Visits { pub count: u32 }
///
/// #[block(handler, session = Visits)]
/// async fn visit(_: (), ctx: Ctx) -> Result<u32> {
///     ctx.session.count.inc(1).await?;
///     Ok(ctx.session.count.get())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let folder = std::env::temp_dir().join(format!("flowstate-doc-{}", std::process::id()));
/// let app = App::builder().store(FileStore::open(&folder).await?).build()?;
/// assert_eq!(app.request().session("s1").run(visit, ()).await?, 1);
/// assert!(folder.join("session/s1.json").exists());
/// # drop(app);
/// # std::fs::remove_dir_all(folder).ok();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FileStore(Worker);

impl FileStore {
    /// Opens a folder, or makes it.
    ///
    /// # Errors
    /// `store_failed` where it cannot be made or written, or another store has it open.
    pub async fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        let worker = Worker::start::<Folder>(folder.to_owned()).await;
        let failed =
            |error| StoreError::new(format!("{} could not be opened", folder.display()), error);
        Ok(Self(worker.map_err(failed)?))
    }
}

impl Store for FileStore {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        self.0.load(key)
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        self.0.swap(key, expected, value)
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        self.0.remove(reach, id)
    }
}

struct Folder {
    path: PathBuf,
    /// The highest version that was removed, and whether the file says so.
    removed: (u64, bool),
    /// The files that the jobs of this go have looked at, as they have made them.
    drafts: BTreeMap<PathBuf, Draft>,
    /// Held as long as the store is open.
    _lock: File,
}

struct Draft {
    states: States,
    changed: bool,
}

/// All states of one id, by their keys.
type States = BTreeMap<String, State>;

#[derive(Serialize, Deserialize)]
struct State {
    version: u64,
    value: Value,
}

const REMOVED: &str = "removed.json";

/// The longest part of a path that every file system takes, with room for an ending.
const LONGEST: usize = 200;

/// How many files are synced at once: the disk takes hardly longer for all of them than for one.
const SYNCS: usize = 32;

impl Folder {
    /// The file of an id.
    fn file(&self, reach: Reach, id: &str) -> PathBuf {
        let mut name = String::new();
        for byte in id.bytes() {
            match byte {
                b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
                // also capital letters, which some file systems take for small ones
                other => name.push_str(&format!("%{other:02x}")),
            }
        }
        if name.is_empty() {
            "%".clone_into(&mut name);
        }
        let mut path = self.path.join(reach.word());
        let mut rest = &name[..];
        while rest.len() > LONGEST {
            let (first, others) = rest.split_at(LONGEST);
            path.push(format!("{first}+"));
            rest = others;
        }
        path.push(format!("{rest}.json"));
        path
    }

    /// The file of an id, as the jobs before have made it.
    fn draft(&mut self, reach: Reach, id: &str) -> Result<&mut Draft, BoxError> {
        let path = self.file(reach, id);
        Ok(match self.drafts.entry(path) {
            Entry::Occupied(draft) => draft.into_mut(),
            Entry::Vacant(new) => {
                let states = read(new.key())?;
                new.insert(Draft { states, changed: false })
            }
        })
    }

    /// Writes what the jobs have changed: every file is synced before it takes the place of the old one, and every folder before
    /// anything is acknowledged.
    fn commit(&mut self) -> Result<(), BoxError> {
        let drafts = std::mem::take(&mut self.drafts);
        if !self.removed.1 {
            // first: a version that is lost is none that comes twice
            let path = self.path.join(REMOVED);
            write(&path, &self.removed.0)?;
            fs::rename(beside(&path), path)?;
            sync(&self.path)?;
            self.removed.1 = true;
        }
        let changed = drafts.into_iter().filter(|(_, file)| file.changed);
        let (new, gone): (Vec<_>, Vec<_>) = changed.partition(|(_, file)| !file.states.is_empty());
        let folders = |files: &[(PathBuf, Draft)]| -> BTreeSet<_> {
            files.iter().filter_map(|(path, _)| Some(path.parent()?.to_owned())).collect()
        };
        let mut touched = folders(&new);
        touched.iter().try_for_each(|folder| make(folder))?;
        at_once(&new, |(path, file)| write(path, &file.states))?;
        for (path, _) in &new {
            fs::rename(beside(path), path)?;
        }
        for (path, _) in &gone {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        // (of an id that was never written there may be no folder)
        touched.extend(folders(&gone).into_iter().filter(|folder| folder.is_dir()));
        at_once(&Vec::from_iter(touched), |folder| sync(folder))
    }
}

/// Does the same with each, several at a time.
fn at_once<T: Sync>(
    all: &[T],
    work: impl Fn(&T) -> Result<(), BoxError> + Sync,
) -> Result<(), BoxError> {
    if let [one] = all {
        return work(one);
    }
    let each = |part: &[T]| part.iter().try_for_each(&work);
    thread::scope(|scope| {
        let parts = all.chunks(all.len().div_ceil(SYNCS).max(1));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || each(part))).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}

/// What a file says; the default where there is none.
fn read<T: DeserializeOwned + Default>(path: &Path) -> Result<T, BoxError> {
    match fs::read(path) {
        Ok(text) => Ok(serde_json::from_slice(&text)
            .map_err(|error| StoreError::new(path.display().to_string(), error.into()))?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(error.into()),
    }
}

/// Where a file is written before it takes its place.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("json.new")
}

/// Writes a file beside its place.
fn write(path: &Path, value: &impl Serialize) -> Result<(), BoxError> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    let mut file = File::create(beside(path))?;
    file.write_all(&text)?;
    Ok(file.sync_all()?)
}

/// Makes a folder, and those around it, so that they survive a crash.
fn make(folder: &Path) -> Result<(), BoxError> {
    if folder.is_dir() {
        return Ok(());
    }
    let around = folder.parent().filter(|around| !around.as_os_str().is_empty());
    let around = around.unwrap_or(Path::new("."));
    make(around)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        _ => sync(around),
    }
}

/// What was put into a folder stays there.
fn sync(folder: &Path) -> Result<(), BoxError> {
    // elsewhere a folder cannot be opened as a file
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

impl Work for Folder {
    type Open = PathBuf;

    fn open(path: PathBuf) -> Result<Self, BoxError> {
        make(&path)?;
        let lock = File::create(path.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {
                let removed = (read(&path.join(REMOVED))?, true);
                Ok(Self { path, removed, drafts: BTreeMap::new(), _lock: lock })
            }
            Err(TryLockError::WouldBlock) => {
                Err("another store has it open; a folder is for one process at a time".into())
            }
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    fn load(&mut self, key: &Key) -> Result<Option<Record>, BoxError> {
        let found = read::<States>(&self.file(key.reach, &key.id))?.remove(&*key.state);
        Ok(found.map(|State { version, value }| Record { version, value }))
    }

    fn swap(&mut self, key: &Key, expected: Option<u64>, value: &Value) -> Result<Swap, BoxError> {
        let version = expected.unwrap_or(self.removed.0) + 1;
        let Draft { states, changed } = self.draft(key.reach, &key.id)?;
        let found = states.get(&*key.state);
        if found.map(|found| found.version) != expected {
            let record =
                |found: &State| Record { version: found.version, value: found.value.clone() };
            return Ok(Swap::Conflict(found.map(record)));
        }
        states.insert(key.state.to_string(), State { version, value: value.clone() });
        *changed = true;
        Ok(Swap::Done(version))
    }

    fn remove(&mut self, reach: Reach, id: &str) -> Result<(), BoxError> {
        let Draft { states, changed } = self.draft(reach, id)?;
        *changed = true;
        let highest = std::mem::take(states).into_values().map(|state| state.version).max();
        if let Some(highest) = highest.filter(|highest| *highest > self.removed.0) {
            self.removed = (highest, false);
        }
        Ok(())
    }

    fn together(&mut self, jobs: &mut dyn FnMut(&mut Self)) -> Result<(), BoxError> {
        jobs(self);
        self.commit()
    }
}
