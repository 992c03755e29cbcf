//! Writes a second of each store, alone and from 64 requests at once, beside the bare driver in the same run.
//!
//! `tests/postgres cargo bench -p flowstate-benches --features stores --bench stores`

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use flowstate::prelude::*;
use flowstate::store::{FileStore, MemoryStore, PostgresStore, SqliteStore, Store};
use futures_util::future::join_all;

#[state]
struct Tally {
    count: u64,
}

#[block(handler, session = Tally)]
async fn bump(_: (), ctx: Ctx) -> Result<bool> {
    ctx.session.count.inc(1).await
}

/// How long each is measured.
const LONG: Duration = Duration::from_secs(2);
const MANY: usize = 64;

/// Runs something over and over, this many times beside each other; gives the number a second.
async fn rate<F: AsyncFnMut()>(works: impl IntoIterator<Item = F>) -> f64 {
    let start = Instant::now();
    let each = works.into_iter().map(async |mut work: F| {
        let mut times = 0_u32;
        while start.elapsed() < LONG {
            work().await;
            times += 1;
        }
        times
    });
    let times: u32 = join_all(each).await.into_iter().sum();
    f64::from(times) / start.elapsed().as_secs_f64()
}

/// Writes of a state in requests, each in a session of its own.
async fn requests(store: Arc<dyn Store>, many: usize) -> f64 {
    let app = App::builder().store(store).build().unwrap();
    let works = (0..many).map(|n| {
        let (app, session) = (app.clone(), format!("s{n}"));
        async move || {
            app.request().session(&session).run(bump, ()).await.unwrap();
        }
    });
    rate(works).await
}

fn table(connection: &rusqlite::Connection) {
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "synchronous", "FULL").unwrap();
    connection
        .execute_batch("CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER NOT NULL); INSERT INTO t VALUES ('s', 0)")
        .unwrap();
}

const SQLITE: &str = "UPDATE t SET n = n + 1 WHERE id = 's'";
const POSTGRES: &str =
    "INSERT INTO bare VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET n = bare.n + 1";

async fn bare_sqlite(file: &Path) -> f64 {
    let connection = rusqlite::Connection::open(file).unwrap();
    table(&connection);
    let mut update = connection.prepare(SQLITE).unwrap();
    rate([async || drop(update.execute(()).unwrap())]).await
}

async fn bare_file(folder: &Path) -> f64 {
    std::fs::create_dir_all(folder).unwrap();
    let (new, path) = (folder.join("s.new"), folder.join("s.json"));
    rate([async || {
        let mut file = std::fs::File::create(&new).unwrap();
        file.write_all(b"{ \"tally\": { \"version\": 1, \"value\": { \"count\": 1 } } }\n")
            .unwrap();
        file.sync_all().unwrap();
        std::fs::rename(&new, &path).unwrap();
        std::fs::File::open(folder).unwrap().sync_all().unwrap();
    }])
    .await
}

async fn bare_postgres(url: &str, many: usize) -> f64 {
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(16).connect(url).await.unwrap();
    sqlx::raw_sql("CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, n BIGINT NOT NULL)")
        .execute(&pool)
        .await
        .unwrap();
    let works = (0..many).map(|n| {
        let (pool, id) = (pool.clone(), format!("s{n}"));
        async move || {
            sqlx::query(POSTGRES).bind(&id).execute(&pool).await.unwrap();
        }
    });
    rate(works).await
}

fn line(name: &str, one: f64, many: f64, bare: f64, bare_many: Option<f64>) {
    let bare_many = bare_many.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.0}"));
    println!("| {name} | {one:.0} | {many:.0} | {bare:.0} | {bare_many} |");
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("flowstate-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    println!(
        "| store | one request | 64 requests | bare driver | bare driver, 64 |\n|---|---|---|---|---|"
    );
    let memory = || Arc::new(MemoryStore::new());
    let table = parking_lot::Mutex::new(std::collections::HashMap::<&str, u64>::new());
    let bare = rate([async || *table.lock().entry("s").or_default() += 1]).await;
    line("memory", requests(memory(), 1).await, requests(memory(), MANY).await, bare, None);

    let store = Arc::new(FileStore::open(folder.join("files")).await.unwrap());
    let bare = bare_file(&folder.join("bare")).await;
    line("files", requests(store.clone(), 1).await, requests(store, MANY).await, bare, None);

    let store = Arc::new(SqliteStore::open(folder.join("states.db")).await.unwrap());
    let bare = bare_sqlite(&folder.join("bare.db")).await;
    line("SQLite", requests(store.clone(), 1).await, requests(store, MANY).await, bare, None);

    if let Ok(url) = std::env::var("FLOWSTATE_POSTGRES") {
        let store = Arc::new(PostgresStore::connect(&url).await.unwrap());
        let (bare, bare_many) = (bare_postgres(&url, 1).await, bare_postgres(&url, MANY).await);
        let (one, many) = (requests(store.clone(), 1).await, requests(store, MANY).await);
        line("Postgres", one, many, bare, Some(bare_many));
    }
    std::fs::remove_dir_all(folder).unwrap();
}
