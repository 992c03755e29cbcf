//! A store of JSON files.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::OwnedMutexGuard;

use super::{Answer, Key, Record, Store, Swap};
use crate::error::{BoxError, Result, StoreError};
use crate::schema::Reach;
use crate::sync::{Held, Mutex, Shared, spawn_blocking};

/// Keeps states as JSON files that people can read: one for each session, user and organisation. For work on one's own
/// machine; clones share it, a second process is refused.
///
/// `session/s1.json` is `{ "visits": { "version": 3, "value": { "count": 3 } } }`. A write is on the disk when it is
/// acknowledged, and a file is the old one or the new one, never half of it; those of several ids are written at one time.
/// `removed.json` has the highest version of all that was removed: new states begin above it; where it cannot be read, `open` says
/// what to write there. A file that cannot be read fails with `store_failed`, which names it, and stays as it is until it is mended
/// or its id is [removed](Store::remove). Lower-case letters, digits, `-` and
/// `_` of an id stand for themselves in the file's name; other characters are `%` and their bytes.
///
/// The work is done on tokio's threads for blocking work. A program that keeps all of them busy (512, unless its runtime is built
/// with another `max_blocking_threads`) with work that waits for the store, as by `spawn_blocking(|| handle.block_on(app.run(…)))`,
/// waits for ever: leave some of them free, or take another store.
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
#[derive(Clone)]
pub struct FileStore(Arc<Folder>);

impl FileStore {
    /// Opens a folder, or makes it.
    ///
    /// # Errors
    /// `store_failed` where it cannot be made or written, or another store has it open.
    pub async fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        let path = folder.to_owned();
        let opened = blocking(move || Folder::open(path)).await;
        let failed =
            |error| StoreError::new(format!("{} could not be opened", folder.display()), error);
        Ok(Self(Arc::new(opened.map_err(failed)?)))
    }

    /// Does something with the file of an id, once nothing else does.
    async fn alone<T: Send + 'static>(
        &self,
        reach: Reach,
        id: &str,
        work: impl FnOnce(&Folder, &Path) -> Result<T, BoxError> + Send + 'static,
    ) -> Result<T, BoxError> {
        let folder = self.0.clone();
        let turn = folder.turn(folder.file(reach, id)).await;
        // (all of the turn goes along: the work goes on where nobody waits for it any more)
        blocking(move || work(&folder, turn.file())).await
    }
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileStore").field(&self.0.path).finish()
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BoxError> + Send + 'static,
) -> Result<T, BoxError> {
    spawn_blocking(work).await?
}

impl Store for FileStore {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        let state = key.state.clone();
        // not beside a write: what it has not synced yet may be lost
        Box::pin(self.alone(key.reach, &key.id, move |_, path| {
            Ok(read::<States>(path)?.remove(&*state).map(Into::into))
        }))
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        let state = key.state.to_string();
        Box::pin(self.alone(key.reach, &key.id, move |folder, path| {
            let mut states: States = read(path)?;
            let found = states.get(&state);
            if found.map(|found| found.version) != expected {
                return Ok(Swap::Conflict(states.remove(&state).map(Into::into)));
            }
            let before = expected.map_or_else(|| folder.make_for(path), Ok)?;
            let version = before.checked_add(1).ok_or_else(last_version)?;
            states.insert(state, State { version, value });
            write(path, &states)?;
            Ok(Swap::Done(version))
        }))
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        Box::pin(self.alone(reach, id, move |folder, path| {
            let states = match read::<States>(path) {
                Ok(states) if states.is_empty() => return Ok(()),
                Ok(states) => Some(states),
                Err(error) if error.is::<StoreError>() => None,
                Err(error) => return Err(error),
            };
            // first: a version that is lost is none that comes twice
            let mut removed = folder.removed.lock();
            let highest = match &states {
                Some(states) => states.values().map(|state| state.version).max().unwrap_or(0),
                // (more than was ever written on it)
                None => removed.checked_add(UNREAD).ok_or_else(last_version)?,
            };
            if highest > *removed {
                write(&folder.path.join(REMOVED), &highest)?;
                *removed = highest;
            }
            drop(removed);
            fs::remove_file(path)?;
            sync(around(path))
        }))
    }
}

struct Folder {
    path: PathBuf,
    /// The highest version that was removed. Locked also where a folder is made, so that nobody uses it before it is synced.
    removed: Mutex<u64>,
    /// Those who change a file, one after the other.
    turns: Shared<PathBuf, Line>,
    /// Held as long as the store is open.
    _lock: File,
}

type Line = Arc<tokio::sync::Mutex<()>>;

struct Turn {
    // (dropped first)
    _guard: OwnedMutexGuard<()>,
    held: Arc<Held<PathBuf, Line>>,
}

impl Turn {
    fn file(&self) -> &Path {
        self.held.key()
    }
}

/// All states of one id, by their keys.
type States = BTreeMap<String, State>;

#[derive(Serialize, Deserialize)]
struct State {
    version: u64,
    value: Value,
}

impl From<State> for Record {
    fn from(State { version, value }: State) -> Self {
        Self { version, value }
    }
}

const REMOVED: &str = "removed.json";

/// How far above what was removed before the versions in a file may be that cannot be read.
const UNREAD: u64 = 1 << 40;

#[cold]
fn last_version() -> BoxError {
    format!("there is no version above {}", u64::MAX).into()
}

/// The longest part of a path that every file system takes, with room for an ending.
const LONGEST: usize = 200;

impl Folder {
    fn open(path: PathBuf) -> Result<Self, BoxError> {
        make(&path)?;
        let lock = File::create(path.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {
                let removed = read(&path.join(REMOVED)).map_err(|error| {
                    format!(
                        "{error}; the file has the highest version of all that was removed: write a number there that is \
                         above all versions in the folder, such as {}",
                        1000 * UNREAD
                    )
                })?;
                let removed = Mutex::new(removed);
                Ok(Self { path, removed, turns: Shared::default(), _lock: lock })
            }
            Err(TryLockError::WouldBlock) => {
                Err("another store has it open; a folder is for one process at a time".into())
            }
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    async fn turn(&self, file: PathBuf) -> Turn {
        let held = self.turns.get(&file, Line::default);
        Turn { _guard: Line::clone(&held).lock_owned().await, held }
    }

    /// Makes the folder of a file that may be new; gives the highest version that was removed.
    fn make_for(&self, path: &Path) -> Result<u64, BoxError> {
        let removed = self.removed.lock();
        make(around(path))?;
        Ok(*removed)
    }

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

fn write(path: &Path, value: &impl Serialize) -> Result<(), BoxError> {
    let new = path.with_extension("json.new");
    let mut file = File::create(&new)?;
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.sync_all()?;
    fs::rename(new, path)?;
    sync(around(path))
}

/// The folder of a file.
fn around(path: &Path) -> &Path {
    path.parent().filter(|around| !around.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a folder, and those around it, so that they survive a crash.
fn make(folder: &Path) -> Result<(), BoxError> {
    if folder.is_dir() {
        return Ok(());
    }
    let around = around(folder);
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
