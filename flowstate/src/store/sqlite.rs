//! A store in a SQLite file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension as _};
use serde_json::Value;

use super::worker::{Work, Worker};
use super::{Answer, Key, Record, Store, Swap};
use crate::error::{BoxError, Result, StoreError};
use crate::schema::Reach;

/// Keeps states in one SQLite file; several processes of one machine may open it. Clones share the connection.
///
/// A write is on the disk when it is acknowledged (`synchronous = FULL`, in WAL mode); writes that come at one time share a
/// commit. With the feature `sqlite`.
///
/// ```
/// use flowstate::prelude::*;
/// use flowstate::store::SqliteStore;
///
/// #[state]
/// pub struct Visits { pub count: u32 }
///
/// #[block(handler, user = Visits)]
/// async fn visit(_: (), ctx: Ctx) -> Result<u32> {
///     ctx.user.count.inc(1).await?;
///     Ok(ctx.user.count.get())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let file = std::env::temp_dir().join(format!("flowstate-doc-{}.db", std::process::id()));
/// let app = App::builder().store(SqliteStore::open(&file).await?).build()?;
/// assert_eq!(app.request().user("ada").run(visit, ()).await?, 1);
/// drop(app);
///
/// let again = App::builder().store(SqliteStore::open(&file).await?).build()?;
/// assert_eq!(again.request().user("ada").run(visit, ()).await?, 2);
/// # drop(again);
/// # std::fs::remove_file(file).ok();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SqliteStore(Worker);

impl SqliteStore {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// `store_failed` where it cannot be opened, or is no SQLite file.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let worker = Worker::start::<File>(path.to_owned()).await;
        let failed =
            |error| StoreError::new(format!("{} could not be opened", path.display()), error);
        Ok(Self(worker.map_err(failed)?))
    }
}

impl Store for SqliteStore {
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

struct File(Connection);

/// How long it waits for another process.
const BUSY: Duration = Duration::from_secs(30);

const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS state (
        reach TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (reach, id, state)
    ) STRICT, WITHOUT ROWID";
const LOAD: &str = "SELECT version, value FROM state WHERE reach = ?1 AND id = ?2 AND state = ?3";
/// (After the highest version that was removed, so that no key has one twice.)
const NEW: &str = "
    INSERT INTO state (reach, id, state, version, value)
    VALUES (?1, ?2, ?3, 1 + coalesce((SELECT version FROM state WHERE reach = 'removed'), 0), ?4)
    ON CONFLICT DO NOTHING RETURNING version";
const NEXT: &str = "
    UPDATE state SET version = version + 1, value = ?4
    WHERE reach = ?1 AND id = ?2 AND state = ?3 AND version = ?5 RETURNING version";
/// (The one row that is no state.)
const REMOVED: &str = "
    INSERT INTO state (reach, id, state, version, value)
    SELECT 'removed', '', '', coalesce(max(version), 0), 'null' FROM state WHERE reach = ?1 AND id = ?2
    ON CONFLICT DO UPDATE SET version = max(version, excluded.version)";
const REMOVE: &str = "DELETE FROM state WHERE reach = ?1 AND id = ?2";

impl Work for File {
    type Open = PathBuf;

    fn open(path: PathBuf) -> Result<Self, BoxError> {
        let file = Connection::open(path)?;
        file.busy_timeout(BUSY)?;
        // (nothing waits for a lock while the mode changes, and another process may be about to change it, too)
        let start = Instant::now();
        while let Err(error) = file.pragma_update(None, "journal_mode", "WAL") {
            let busy = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
            if !busy || start.elapsed() > BUSY {
                return Err(error.into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        file.pragma_update(None, "synchronous", "FULL")?;
        file.execute_batch(TABLE)?;
        Ok(Self(file))
    }

    fn load(&mut self, key: &Key) -> Result<Option<Record>, BoxError> {
        let mut load = self.0.prepare_cached(LOAD)?;
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(i64, String)> =
            load.query_row((key.reach.word(), &key.id, &key.state), row).optional()?;
        let Some((version, text)) = found else { return Ok(None) };
        Ok(Some(Record { version: version.try_into()?, value: serde_json::from_str(&text)? }))
    }

    fn swap(&mut self, key: &Key, expected: Option<u64>, value: &Value) -> Result<Swap, BoxError> {
        let (reach, text) = (key.reach.word(), value.to_string());
        let mut write = self.0.prepare_cached(if expected.is_some() { NEXT } else { NEW })?;
        let given = |row: &rusqlite::Row<'_>| row.get(0);
        let done: Option<i64> = match expected {
            None => write.query_row((reach, &key.id, &key.state, text), given),
            Some(version) => {
                // (a version that is none of ours is not there)
                let version = i64::try_from(version).unwrap_or(-1);
                write.query_row((reach, &key.id, &key.state, text, version), given)
            }
        }
        .optional()?;
        drop(write);
        match done {
            Some(version) => Ok(Swap::Done(version.try_into()?)),
            None => Ok(Swap::Conflict(self.load(key)?)),
        }
    }

    fn remove(&mut self, reach: Reach, id: &str) -> Result<(), BoxError> {
        self.0.prepare_cached(REMOVED)?.execute((reach.word(), id))?;
        self.0.prepare_cached(REMOVE)?.execute((reach.word(), id))?;
        Ok(())
    }

    fn together(&mut self, jobs: &mut dyn FnMut(&mut Self)) -> Result<(), BoxError> {
        // from the start the only writer, so that no job finds that another process was faster
        self.0.execute_batch("BEGIN IMMEDIATE")?;
        jobs(self);
        if let Err(error) = self.0.execute_batch("COMMIT") {
            let _ = self.0.execute_batch("ROLLBACK");
            return Err(error.into());
        }
        Ok(())
    }
}
