//! A store of JSON files.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use super::worker::{Work, Worker};
use super::{Answer, Key, Record, Store, Swap};
use crate::error::{BoxError, Result, StoreError};
use crate::schema::Reach;

/// Keeps states as JSON files that people can read: one for each session, user and organisation. For work on one's own
/// machine; clones share it, a second process is refused.
///
/// `session/s1.json` is `{ "visits": { "version": 3, "value": { "count": 3 } } }`. A write is on the disk when it is
/// acknowledged, and a file is the old one or the new one, never half of it. `removed.json` has the highest version of all that
/// was removed: new states begin above it. Lower-case letters, digits, `-` and `_` of an id
/// stand for themselves in the file's name; other characters are `%` and their bytes.
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
    /// The highest version that was removed.
    removed: u64,
    /// Held as long as the store is open.
    _lock: File,
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

impl Folder {
    /// The folder and the file of an id.
    fn place(&self, key: &Key) -> (PathBuf, String) {
        let mut name = String::new();
        for byte in key.id.bytes() {
            match byte {
                b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
                // also capital letters, which some file systems take for small ones
                other => name.push_str(&format!("%{other:02x}")),
            }
        }
        if name.is_empty() {
            "%".clone_into(&mut name);
        }
        let mut folder = self.path.join(key.reach.word());
        let mut rest = &name[..];
        while rest.len() > LONGEST {
            let (first, others) = rest.split_at(LONGEST);
            folder.push(format!("{first}+"));
            rest = others;
        }
        (folder, format!("{rest}.json"))
    }

    fn read(&self, key: &Key) -> Result<States, BoxError> {
        let (folder, name) = self.place(key);
        read(&folder.join(name))
    }

    fn write(&self, key: &Key, states: &States) -> Result<(), BoxError> {
        let (folder, name) = self.place(key);
        make(&folder)?;
        write(&folder, &name, states)
    }
}

/// What a file says; the default where there is none.
fn read<T: DeserializeOwned + Default>(path: &Path) -> Result<T, BoxError> {
    match fs::read(path) {
        Ok(text) => Ok(serde_json::from_slice(&text)
            .map_err(|error| StoreError::new(path.display().to_string(), error.into()))?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(error.into()),
    }
}

fn write(folder: &Path, name: &str, value: &impl Serialize) -> Result<(), BoxError> {
    let (path, new) = (folder.join(name), folder.join(format!("{name}.new")));
    let mut file = File::create(&new)?;
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.sync_all()?;
    fs::rename(new, path)?;
    sync(folder)
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
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.into()),
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
            Ok(()) => Ok(Self { removed: read(&path.join(REMOVED))?, path, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err("another store has it open; a folder is for one process at a time".into())
            }
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    fn load(&mut self, key: &Key) -> Result<Option<Record>, BoxError> {
        let found = self.read(key)?.remove(&*key.state);
        Ok(found.map(|State { version, value }| Record { version, value }))
    }

    fn swap(&mut self, key: &Key, expected: Option<u64>, value: &Value) -> Result<Swap, BoxError> {
        let mut states = self.read(key)?;
        let found = states.get(&*key.state);
        if found.map(|found| found.version) != expected {
            let found = found.map(|found| (found.version, found.value.clone()));
            return Ok(Swap::Conflict(found.map(|(version, value)| Record { version, value })));
        }
        let version = expected.unwrap_or(self.removed) + 1;
        states.insert(key.state.to_string(), State { version, value: value.clone() });
        self.write(key, &states)?;
        Ok(Swap::Done(version))
    }

    fn remove(&mut self, reach: Reach, id: &str) -> Result<(), BoxError> {
        let key = Key::new(reach, id, "");
        // first: a version that is lost is none that comes twice
        let highest = self.read(&key)?.values().map(|state| state.version).max();
        if let Some(highest) = highest.filter(|highest| *highest > self.removed) {
            write(&self.path, REMOVED, &highest)?;
            self.removed = highest;
        }
        let (folder, name) = self.place(&key);
        match fs::remove_file(folder.join(name)) {
            Ok(()) => sync(&folder),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
