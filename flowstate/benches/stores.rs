//! Writes a second of each store, alone and from 64 requests at once, beside the bare driver in the same run.
//!
//! `tests/postgres cargo bench -p flowstate-benches --features stores --bench stores`

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flowstate::prelude::*;
use flowstate::store::{FileStore, MemoryStore, PostgresStore, SqliteStore, Store};
use flowstate_benches::{Tally, publish};
use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

#[block(handler, session = Tally)]
async fn bump(_: (), ctx: Ctx) -> Result<bool> {
    ctx.session.count.inc(1).await
}

/// How long each is measured, and how often: in short turns, for a disk is now fast and now slow.
const LONG: Duration = Duration::from_millis(200);
const ROUNDS: usize = 21;
const MANY: usize = 64;

/// Does something over and over, for so many ids beside each other; gives the number a second.
async fn rate(many: usize, work: impl AsyncFn(String)) -> f64 {
    let (start, work) = (Instant::now(), &work);
    let each = (0..many).map(|n| async move {
        let mut times = 0_u32;
        while start.elapsed() < LONG {
            work(format!("s{n}")).await;
            times += 1;
        }
        times
    });
    let times: u32 = join_all(each).await.into_iter().sum();
    f64::from(times) / start.elapsed().as_secs_f64()
}

/// A row: requests that write a state, each of a session of its own, beside the same by hand.
async fn row(name: &str, store: Arc<dyn Store>, by_hand: impl AsyncFn(String)) -> String {
    let app = App::builder().store(store).build().unwrap();
    let ours = async |id: String| {
        app.request().session(id).run(bump, ()).await.unwrap();
    };
    let mut row = format!("| {name} |");
    for many in [1, MANY] {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push([rate(many, &ours).await, rate(many, &by_hand).await]);
        }
        let median = |of: fn(&[f64; 2]) -> f64| {
            let mut all: Vec<_> = rounds.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[ROUNDS / 2]
        };
        let (ours, plain) = (median(|[ours, _]| *ours), median(|[_, plain]| *plain));
        let ratio = median(|[ours, plain]| plain / ours);
        row += &format!(" {ours:.0} | {plain:.0} | {ratio:.2} |");
    }
    eprintln!("{row}");
    row + "\n"
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, n BIGINT NOT NULL)";
const UPSERT: &str =
    "INSERT INTO bare VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET n = bare.n + 1";

async fn memory() -> String {
    let map = Mutex::new(HashMap::<String, u64>::new());
    let by_hand = async |id| *map.lock().entry(id).or_default() += 1;
    row("memory", Arc::new(MemoryStore::new()), by_hand).await
}

fn put(folder: &Path, id: &str) -> std::io::Result<()> {
    let new = folder.join(format!("{id}.new"));
    let mut file = std::fs::File::create(&new)?;
    file.write_all(b"{ \"tally\": { \"version\": 1, \"value\": { \"count\": 1 } } }\n")?;
    file.sync_all()?;
    std::fs::rename(&new, folder.join(format!("{id}.json")))?;
    std::fs::File::open(folder)?.sync_all()
}

async fn files(folder: &Path) -> String {
    let bare = &folder.join("bare");
    std::fs::create_dir(bare).unwrap();
    let by_hand = async |id: String| {
        let bare = bare.clone();
        spawn_blocking(move || put(&bare, &id)).await.unwrap().unwrap();
    };
    let store = FileStore::open(folder.join("files")).await.unwrap();
    row("files", Arc::new(store), by_hand).await
}

async fn sqlite(folder: &Path) -> String {
    let bare = rusqlite::Connection::open(folder.join("bare.db")).unwrap();
    bare.pragma_update(None, "journal_mode", "WAL").unwrap();
    bare.pragma_update(None, "synchronous", "FULL").unwrap();
    bare.execute_batch(TABLE).unwrap();
    let bare = Arc::new(Mutex::new(bare));
    let by_hand = async |id: String| {
        let bare = bare.clone();
        let upsert = move || bare.lock().prepare_cached(UPSERT)?.execute([id]);
        spawn_blocking(upsert).await.unwrap().unwrap();
    };
    let store = SqliteStore::open(folder.join("states.db")).await.unwrap();
    row("SQLite", Arc::new(store), by_hand).await
}

async fn postgres(url: &str) -> String {
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(16).connect(url).await.unwrap();
    sqlx::raw_sql(TABLE).execute(&pool).await.unwrap();
    let by_hand = async |id: String| {
        sqlx::query(UPSERT).bind(id).execute(&pool).await.unwrap();
    };
    let store = PostgresStore::connect(url).await.unwrap();
    row("Postgres", Arc::new(store), by_hand).await
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let url =
        std::env::var("FLOWSTATE_POSTGRES").expect("`tests/postgres COMMAND` starts a server");
    let folder = std::env::temp_dir().join(format!("flowstate-bench-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let head = "| store | one request | by hand | ratio | 64 requests | by hand | ratio |\n\
                |---|---:|---:|---:|---:|---:|---:|\n";
    let rows = [memory().await, files(&folder).await, sqlite(&folder).await, postgres(&url).await];
    std::fs::remove_dir_all(folder).unwrap();
    publish("stores", &format!("{head}{}", rows.concat()));
}
