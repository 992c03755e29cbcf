//! A store in a Postgres database.

use std::str::FromStr as _;
use std::time::Duration;

use serde_json::Value;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _, raw_sql};

use super::{Answer, Key, Record, Store, Swap};
use crate::error::{BoxError, Result, StoreError};
use crate::schema::Reach;

/// Keeps states in a table of a Postgres database, which any number of processes and machines may share. Clones share the
/// connections.
///
/// A write is on the server's disk when it is acknowledged (`synchronous_commit = on`). Where the connection breaks before the
/// answer, nobody knows whether it was written: the write fails with `store_failed`. An id has at most 1,000 bytes. For TLS, add
/// `sqlx` with its feature `tls-rustls` to your own manifest. With the feature `postgres`.
///
/// Each store has up to 16 connections, with prepared statements and with `options` (`synchronous_commit`, and the schema as
/// `search_path`). Behind PgBouncer that takes
///
/// - `ignore_startup_parameters = extra_float_digits,options`: both are refused otherwise;
/// - the schema set for the role, `ALTER ROLE app SET search_path = …`, for what is ignored does not reach the server: where it is
///   not set, or where the server's own `synchronous_commit` is off, connecting fails;
/// - `pool_mode = session`, with a `pool_size` of 16 for each process: who finds no place waits for 30 seconds and fails. This was
///   tried, with PgBouncer 1.18. With `pool_mode = transaction` that version fails, since a statement is prepared on one connection
///   and run on another. From 1.21 on PgBouncer keeps track of them itself where `max_prepared_statements` is above 0; that was
///   not tried: run [`conformance`](crate::store::conformance) on it first.
///
/// ```no_run
/// use flowstate::prelude::*;
/// use flowstate::store::PostgresStore;
///
/// # async fn open() -> Result<()> {
/// let store = PostgresStore::connect("postgres://app@localhost/app").await?;
/// let app = App::builder().store(store).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct PostgresStore(PgPool);

/// The most connections: so many writes share a sync of the disk.
const CONNECTIONS: u32 = 16;

/// How long a call waits for a connection.
const WAIT: Duration = Duration::from_secs(30);

/// A connection that was used so short a time ago is taken for alive.
const FRESH: Duration = Duration::from_secs(1);

/// (Two that make the table at once would get in each other's way: the lock is held to the end of the statement.)
const TABLE: &str = "
    BEGIN;
    SELECT pg_advisory_xact_lock(7311587218);
    CREATE TABLE IF NOT EXISTS flowstate_state (
        reach TEXT NOT NULL, id BYTEA NOT NULL, state BYTEA NOT NULL, version BIGINT NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (reach, id, state)
    );
    COMMIT";
/// What the server makes of the options of a connection.
const TAKEN: &str = "SELECT current_setting('search_path'), current_setting('synchronous_commit')";
const THERE: &str = "SELECT to_regclass('flowstate_state') IS NOT NULL";
const LOAD: &str =
    "SELECT version, value FROM flowstate_state WHERE reach = $1 AND id = $2 AND state = $3";
/// (The number of the transaction, so that no key has a version twice; that of an older table, or of another server that it was
/// brought from, may be higher.)
const NEW: &str = "
    INSERT INTO flowstate_state (reach, id, state, version, value) VALUES ($1, $2, $3, txid_current(), $4)
    ON CONFLICT DO NOTHING RETURNING version";
const NEXT: &str = "
    UPDATE flowstate_state SET version = greatest(version + 1, txid_current()), value = $4
    WHERE reach = $1 AND id = $2 AND state = $3 AND version = $5 RETURNING version";
const REMOVE: &str = "DELETE FROM flowstate_state WHERE reach = $1 AND id = $2";

impl PostgresStore {
    /// Connects to a database, `"postgres://user:password@host/database"`, and makes the table `flowstate_state` where it is
    /// not there: only that takes the right to make one.
    ///
    /// # Errors
    /// `store_failed` where the server cannot be reached, or the table cannot be made.
    pub async fn connect(url: &str) -> Result<Self> {
        open(url, None).await.map(Self).map_err(failed)
    }

    /// The same in a schema of the database, which is made where it is not there: so several apps share one.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub async fn connect_in(url: &str, schema: &str) -> Result<Self> {
        open(url, Some(schema)).await.map(Self).map_err(failed)
    }

    async fn load_now(&self, key: &Key) -> Result<Option<Record>, BoxError> {
        let load = sqlx::query(LOAD).bind(key.reach.word()).bind(key.id.as_bytes());
        let found = load.bind(key.state.as_bytes()).fetch_optional(&self.0).await?;
        found.map(record).transpose()
    }
}

fn failed(error: BoxError) -> crate::error::Error {
    StoreError::new("the Postgres database could not be opened".to_owned(), error).into()
}

/// A name as SQL takes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Refuses a server that a pooler has not told of the options.
fn dropped(schema: Option<&str>, path: &str, commit: &str) -> Result<(), BoxError> {
    let there = |schema: &str| path == schema || path == quoted(schema);
    let (option, value) = match schema {
        Some(schema) if !there(schema) => ("search_path", quoted(schema)),
        _ if commit == "off" => ("synchronous_commit", "on".to_owned()),
        _ => return Ok(()),
    };
    let text = format!(
        "the connection's option `{option}` did not reach the server, as behind a pooler that ignores options: set it for \
         the role, `ALTER ROLE … SET {option} = {value}`"
    );
    Err(text.into())
}

async fn open(url: &str, schema: Option<&str>) -> Result<PgPool, BoxError> {
    let mut options = PgConnectOptions::from_str(url)?.options([("synchronous_commit", "on")]);
    // what is done at every start says nothing
    options = options.options([("client_min_messages", "warning")]);
    if let Some(schema) = schema {
        options = options.options([("search_path", quoted(schema))]);
    }
    // one by itself: the pool would ask a server that is not there again and again
    let mut first = PgConnection::connect_with(&options).await?;
    let taken: (String, String) = sqlx::query_as(TAKEN).fetch_one(&mut first).await?;
    dropped(schema, &taken.0, &taken.1)?;
    // to make what is there already would take the right to make it
    if !sqlx::query_scalar(THERE).fetch_one(&mut first).await? {
        let mut sql = TABLE.to_owned();
        if let Some(schema) = schema {
            let schema = format!(";\n    CREATE SCHEMA IF NOT EXISTS {};\n", quoted(schema));
            sql = sql.replacen("(7311587218);", &format!("(7311587218){schema}"), 1);
        }
        // (nothing of it comes from outside but the schema's name, and that is quoted)
        first.execute(raw_sql(AssertSqlSafe(sql))).await?;
    }
    first.close().await?;
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(WAIT);
    let pool = pool.test_before_acquire(false).before_acquire(|connection, about| {
        Box::pin(async move {
            if about.idle_for > FRESH {
                connection.ping().await?;
            }
            Ok(true)
        })
    });
    Ok(pool.connect_lazy_with(options))
}

fn record(row: PgRow) -> Result<Record, BoxError> {
    let (version, text): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
    Ok(Record { version: version.try_into()?, value: serde_json::from_str(&text)? })
}

impl Store for PostgresStore {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        Box::pin(self.load_now(key))
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        Box::pin(async move {
            let write = sqlx::query(if expected.is_some() { NEXT } else { NEW });
            let write = write.bind(key.reach.word()).bind(key.id.as_bytes());
            let mut write = write.bind(key.state.as_bytes()).bind(value.to_string());
            if let Some(version) = expected {
                // (a version that is none of ours is not there)
                write = write.bind(i64::try_from(version).unwrap_or(-1));
            }
            match write.fetch_optional(&self.0).await? {
                Some(row) => Ok(Swap::Done(row.try_get::<i64, _>(0)?.try_into()?)),
                None => Ok(Swap::Conflict(self.load_now(key).await?)),
            }
        })
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            sqlx::query(REMOVE).bind(reach.word()).bind(id.as_bytes()).execute(&self.0).await?;
            Ok(())
        })
    }
}
