//! Every store does the same: what is written is there for the next request, app and process.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use flowstate::app::KeptState;
use flowstate::prelude::*;
use flowstate::schema::Reach;
use flowstate::store::{FileStore, Key, MemoryStore, Store, Swap, conformance};
use futures_util::future::{join_all, try_join_all};
use serde_json::{Value, json};

#[state]
struct Mode {
    #[state(default = "chat".to_owned())]
    mode: String,
    count: u32,
}

#[state(key = "prefs.v1")]
struct Prefs {
    visits: u64,
}

#[block(handler, session = Mode, user = Prefs)]
async fn visit(_: (), ctx: Ctx) -> Result<(u32, u64)> {
    ctx.session.count.inc(1).await?;
    ctx.user.visits.inc(1).await?;
    Ok((ctx.session.count.get(), ctx.user.visits.get()))
}

#[block(handler, session = Mode)]
async fn switch(to: String, ctx: Ctx) -> Result<bool> {
    ctx.session
        .update(|state| {
            state.mode.clone_from(&to);
            state.count = 0;
        })
        .await
}

/// A folder of its own, as long as it is held.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("flowstate-stores-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Memory,
    File,
    #[cfg(feature = "sqlite")]
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres,
}

pub(crate) const KINDS: &[Kind] = &[
    Kind::Memory,
    Kind::File,
    #[cfg(feature = "sqlite")]
    Kind::Sqlite,
    #[cfg(feature = "postgres")]
    Kind::Postgres,
];

/// Those that several processes may open at once.
pub(crate) const SHARED: &[Kind] = &[
    #[cfg(feature = "sqlite")]
    Kind::Sqlite,
    #[cfg(feature = "postgres")]
    Kind::Postgres,
];

/// In a schema of the folder's name.
#[cfg(feature = "postgres")]
async fn postgres(folder: &Path) -> flowstate::store::PostgresStore {
    let url =
        std::env::var("FLOWSTATE_POSTGRES").expect("`tests/postgres COMMAND` starts a server");
    let name = folder.file_name().unwrap().to_str().unwrap();
    flowstate::store::PostgresStore::connect_in(&url, name).await.unwrap()
}

pub(crate) async fn open(kind: Kind, folder: &Path) -> Arc<dyn Store> {
    match kind {
        Kind::Memory => Arc::new(MemoryStore::new()),
        Kind::File => Arc::new(FileStore::open(folder.join("files")).await.unwrap()),
        #[cfg(feature = "sqlite")]
        Kind::Sqlite => {
            Arc::new(flowstate::store::SqliteStore::open(folder.join("states.db")).await.unwrap())
        }
        #[cfg(feature = "postgres")]
        Kind::Postgres => Arc::new(postgres(folder).await),
    }
}

fn app(store: Arc<dyn Store>) -> App {
    App::builder().store(store).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_store_conforms() {
    for &kind in KINDS {
        let folder = Folder::new();
        let store = open(kind, &folder.0).await;
        conformance(&*store).await;
        // and again, over what it has then
        conformance(&*store).await;
    }
}

#[tokio::test]
async fn sessions_and_users_are_apart_and_stay() {
    for &kind in KINDS {
        let folder = Folder::new();
        let app = app(open(kind, &folder.0).await);
        let run = |session: &str| app.request().user("alice").session(session).run(visit, ());
        assert_eq!(run("s1").await.unwrap(), (1, 1), "{kind:?}");
        assert_eq!(run("s1").await.unwrap(), (2, 2), "{kind:?}");
        assert_eq!(run("s2").await.unwrap(), (1, 3), "{kind:?}");
        let switch =
            |to: &str| app.request().user("alice").session("s1").run(switch, to.to_owned());
        assert!(switch("plan").await.unwrap(), "{kind:?}");
        assert!(!switch("plan").await.unwrap(), "{kind:?}: it is the same");
        assert_eq!(run("s1").await.unwrap(), (1, 4), "{kind:?}");
        let kept = app.state::<Mode>().session("s1").raw().await.unwrap();
        assert_eq!(kept, Some(json!({ "mode": "plan", "count": 1 })), "{kind:?}");
        assert_eq!(app.state::<Prefs>().user("alice").get().await.unwrap().visits, 4, "{kind:?}");
        assert_eq!(app.state::<Prefs>().user("bob").raw().await.unwrap(), None, "{kind:?}");
    }
}

#[state]
struct Tree {
    root: Value,
}

#[block(handler, session = Tree)]
async fn plant(deep: usize, ctx: Ctx) -> Result<()> {
    let root = (0..deep).fold(json!("leaf"), |inner, _| json!([inner]));
    ctx.session.root.set(root).await?;
    Ok(())
}

#[tokio::test]
async fn what_could_not_be_read_again_is_not_written() {
    for &kind in KINDS {
        let folder = Folder::new();
        let app = app(open(kind, &folder.0).await);
        let plant = |deep| app.request().session("s1").run(plant, deep);
        for deep in [50, 110, 125, 127, 128, 200] {
            let done =
                plant(deep).await.map_err(|error| (error.code().to_owned(), error.to_string()));
            match done {
                Ok(()) => assert!(deep < 100, "{kind:?} {deep}"),
                Err((code, text)) => {
                    assert_eq!(code, "store_failed", "{kind:?} {deep}");
                    assert!(
                        text.contains("`tree` of session \"s1\" could not be written"),
                        "{text}"
                    );
                }
            }
            app.state::<Tree>().session("s1").get().await.unwrap();
        }
        plant(98).await.unwrap();
        // what stands beside it is as it was
        app.request().session("s1").user("u").run(visit, ()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_at_once_lose_nothing() {
    for &kind in KINDS {
        let folder = Folder::new();
        let app = app(open(kind, &folder.0).await);
        let calls = (0..50).map(|i| {
            let session = format!("s{}", i % 3);
            tokio::spawn(app.request().user("u").session(session).run(visit, ()))
        });
        for call in join_all(calls).await {
            call.unwrap().unwrap();
        }
        assert_eq!(app.state::<Prefs>().user("u").get().await.unwrap().visits, 50, "{kind:?}");
        let sessions = ["s0", "s1", "s2"].map(|id| app.state::<Mode>().session(id));
        let counts = join_all(sessions.iter().map(KeptState::get)).await;
        let sum: u32 = counts.into_iter().map(|state| state.unwrap().count).sum();
        assert_eq!(sum, 50, "{kind:?}");
    }
}

#[tokio::test]
async fn a_store_that_is_opened_again_has_everything() {
    for &kind in KINDS.iter().filter(|kind| **kind != Kind::Memory) {
        let folder = Folder::new();
        for round in 1..=3 {
            let app = app(open(kind, &folder.0).await);
            let run = app.request().user("ä/../").session("").run(visit, ());
            assert_eq!(run.await.unwrap(), (round, round.into()), "{kind:?}");
        }
    }
}

#[tokio::test]
async fn no_version_comes_again_after_a_removal_and_a_restart() {
    let key = Key::new(Reach::Session, "s", "mode");
    for &kind in KINDS.iter().filter(|kind| **kind != Kind::Memory) {
        let folder = Folder::new();
        let mut highest = 0;
        for writes in 1..=3 {
            let mut last = None;
            for _ in 0..writes {
                let store = open(kind, &folder.0).await;
                let swap = store.swap(&key, last, json!({})).await.unwrap();
                let Swap::Done(version) = swap else { panic!("{kind:?}: {swap:?}") };
                assert!(version > highest, "{kind:?}: {version} after {highest}");
                (last, highest) = (Some(version), version);
            }
            let store = open(kind, &folder.0).await;
            store.remove(Reach::Session, "s").await.unwrap();
            store.remove(Reach::Session, "nobody's").await.unwrap();
        }
    }
}

#[tokio::test]
async fn two_apps_on_one_store_see_each_other() {
    let folder = Folder::new();
    let memory = open(Kind::Memory, &folder.0).await;
    for &kind in SHARED {
        // as two processes would: with a connection each
        let (one, other) = (open(kind, &folder.0).await, open(kind, &folder.0).await);
        take_turns(one, other).await;
    }
    take_turns(memory.clone(), memory).await;
}

async fn take_turns(one: Arc<dyn Store>, other: Arc<dyn Store>) {
    let apps = [app(one), app(other)];
    for round in 1..=5 {
        for (i, app) in apps.iter().enumerate() {
            let count = (round - 1) * 2 + u32::try_from(i).unwrap() + 1;
            let run = app.request().user("u").session("s").run(visit, ());
            assert_eq!(run.await.unwrap(), (count, count.into()));
        }
    }
    // and where both write at once, nothing is lost: who loses four times says so
    let add = async |app: &App| {
        for _ in 0..20 {
            while let Err(error) = app.request().user("u").run(add_one, ()).await {
                assert_eq!(error.code(), "concurrent_modification");
                assert!(error.retryable());
            }
        }
        Ok::<_, Error>(())
    };
    try_join_all(apps.iter().map(add)).await.unwrap();
    assert_eq!(apps[0].state::<Prefs>().user("u").get().await.unwrap().visits, 50);
}

#[block(handler, user = Prefs)]
async fn add_one(_: (), ctx: Ctx) -> Result<bool> {
    ctx.user.visits.inc(1).await
}

#[tokio::test]
async fn a_folder_is_for_one_process() {
    let folder = Folder::new();
    let first = FileStore::open(&folder.0).await.unwrap();
    let error = FileStore::open(&folder.0).await.unwrap_err();
    assert_eq!(error.code(), "store_failed");
    let text = error.to_string();
    assert!(text.contains("another store has it open"), "{text}");
    assert!(text.contains(folder.0.to_str().unwrap()), "{text}");
    drop(first);
    FileStore::open(&folder.0).await.unwrap();
}

#[tokio::test]
async fn files_are_for_people() {
    let folder = Folder::new();
    let app = app(Arc::new(FileStore::open(&folder.0).await.unwrap()));
    app.request().session("s1").user("Ada").run(visit, ()).await.unwrap();
    let text = std::fs::read_to_string(folder.0.join("session/s1.json")).unwrap();
    // (the order of the fields is that of JSON objects, which features of other crates change)
    assert!(text.contains("\n    \"value\": {\n      \""), "{text}");
    assert!(text.contains("\n      \"count\": 1"), "{text}");
    // (a file system may take capital letters for small ones)
    assert!(folder.0.join("user/%41da.json").exists());

    std::fs::write(folder.0.join("session/s1.json"), "{ half").unwrap();
    let error = app.request().session("s1").user("Ada").run(visit, ()).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("store_failed", ""), "before any block runs");
    assert!(error.to_string().contains("session/s1.json"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.0.join("session/s1.json")).unwrap(), "{ half");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_can_be_removed() {
    let folder = Folder::new();
    let store = Arc::new(FileStore::open(&folder.0).await.unwrap());
    let app = app(store.clone());
    let visit = || app.request().session("s1").user("Ada").run(visit, ());
    let key = Key::new(Reach::Session, "s1", "!session");
    for by_hand in [false, true] {
        visit().await.unwrap();
        let session = app.sessions().user("Ada").get("s1").await.unwrap();
        let before = store.load(&key).await.unwrap().unwrap().version;
        std::fs::write(folder.0.join("session/s1.json"), "{ half").unwrap();
        let error = visit().await.unwrap_err();
        assert!(error.to_string().contains("session/s1.json"), "{error}");
        if by_hand {
            store.remove(Reach::Session, "s1").await.unwrap();
        } else {
            session.delete().await.unwrap();
            assert_eq!(app.sessions().user("Ada").list().await.unwrap(), []);
        }
        assert!(!folder.0.join("session/s1.json").exists());
        visit().await.unwrap();
        assert!(store.load(&key).await.unwrap().unwrap().version > before, "none comes twice");
    }
}

#[tokio::test]
async fn a_broken_note_of_what_was_removed_is_mended_as_the_error_says() {
    let folder = Folder::new();
    let key = Key::new(Reach::Session, "s", "state");
    let store = FileStore::open(&folder.0).await.unwrap();
    store.swap(&key, None, json!(1)).await.unwrap();
    drop(store);
    let note = folder.0.join("removed.json");
    std::fs::write(&note, "").unwrap();
    let text = FileStore::open(&folder.0).await.unwrap_err().to_string();
    assert!(text.contains(note.to_str().unwrap()) && text.contains("write a number"), "{text}");
    let number = text.rsplit(' ').next().unwrap();
    std::fs::write(&note, number).unwrap();
    let store = FileStore::open(&folder.0).await.unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap().value, json!(1));
    let other = Key::new(Reach::Session, "other", "state");
    let Swap::Done(version) = store.swap(&other, None, json!(1)).await.unwrap() else { panic!() };
    assert!(version > number.parse().unwrap());
}

#[tokio::test]
async fn above_the_last_version_there_is_none() {
    let folder = Folder::new();
    let key = Key::new(Reach::Session, "s", "state");
    let store = FileStore::open(&folder.0).await.unwrap();
    store.swap(&key, None, json!(1)).await.unwrap();
    let last = format!(r#"{{"state": {{"version": {}, "value": 1}}}}"#, u64::MAX);
    std::fs::write(folder.0.join("session/s.json"), &last).unwrap();
    let error = store.swap(&key, Some(u64::MAX), json!(2)).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no version above 18446744073709551615");
    assert_eq!(store.load(&key).await.unwrap().unwrap().value, json!(1));
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn what_is_no_database_is_refused() {
    let folder = Folder::new();
    let file = folder.0.join("text.db");
    std::fs::write(
        &file,
        "this is a text, and a long one, so that it could be a database ".repeat(99),
    )
    .unwrap();
    let error = flowstate::store::SqliteStore::open(&file).await.unwrap_err();
    assert_eq!(error.code(), "store_failed");
    assert!(error.to_string().contains("text.db could not be opened"), "{error}");
}

#[test]
fn two_flows_that_keep_different_states_under_one_key_are_refused() {
    #[state(key = "mode")]
    struct Other {
        other: u8,
    }
    #[block(handler, session = Other, request = Prefs)]
    async fn other(input: u8, ctx: Ctx) -> Result<bool> {
        ctx.request.visits.inc(1)?;
        ctx.session.other.set(input).await
    }
    flow! { struct One { visit: visit } }
    flow! { struct Two { other: other } }
    let error = App::builder().flow(One).flow(Two).build().unwrap_err();
    assert_eq!(error.code(), "app_invalid");
    assert_eq!(
        error.to_string(),
        "two session states of the flows `One` and `Two` are stored under the key `mode`: `Mode` (block `visit`) and `Other` \
         (block `other`)\nhelp: give one of them a key of its own, `#[state(key = \"…\")]`"
    );
    App::builder().flow(Two).build().unwrap();
}

/// A state that is large, and whole where all of it is the same.
#[state]
struct Whole {
    number: u64,
    copies: Vec<u64>,
}

#[block(handler, session = Mode, user = Whole)]
async fn next(_: (), ctx: Ctx) -> Result<u64> {
    ctx.session.count.inc(1).await?;
    ctx.user
        .modify(|whole| {
            whole.number += 1;
            whole.copies = vec![whole.number; 2000];
            whole.number
        })
        .await
}

/// The numbers that a store has, of so many users; all of each is there.
async fn all_whole(kind: Kind, folder: &Path, users: usize) -> Vec<u64> {
    let app = app(open(kind, folder).await);
    let mut numbers = Vec::new();
    for user in 0..users {
        let kept = app.state::<Whole>().user(format!("u{user}"));
        let Whole { number, copies } = kept.get().await.unwrap();
        let all = if number == 0 { 0 } else { 2000 };
        assert_eq!(copies, vec![number; all], "{kind:?}: half of it");
        // the session is written first
        let count = app.state::<Mode>().session(format!("s{user}")).get().await.unwrap().count;
        assert!(u64::from(count) >= number, "{kind:?}: {count} of {number}");
        numbers.push(number);
    }
    numbers
}

async fn whole(kind: Kind, folder: &Path) -> u64 {
    all_whole(kind, folder, 1).await[0]
}

/// What the processes of the tests below do: they count up, for several users at once, and tell each number once it is
/// acknowledged.
#[tokio::test]
#[ignore = "other tests start it as a process of its own"]
async fn process() {
    let folder = std::env::var("FLOWSTATE_FOLDER").unwrap();
    let kind = std::env::var("FLOWSTATE_KIND").unwrap();
    let times = std::env::var("FLOWSTATE_TIMES").unwrap().parse::<u32>().unwrap();
    let kind = *KINDS.iter().find(|known| format!("{known:?}") == kind).unwrap();
    let users = std::env::var("FLOWSTATE_USERS").map_or(1, |users| users.parse().unwrap());
    let app = app(open(kind, Path::new(&folder)).await);
    let count = async |user: usize| {
        for _ in 0..times {
            let number = loop {
                let request = app.request().session(format!("s{user}")).user(format!("u{user}"));
                match request.run(next, ()).await {
                    Ok(number) => break number,
                    // (the server may be down)
                    Err(error)
                        if error.code() == "store_failed" && format!("{kind:?}") == "Postgres" =>
                    {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                    Err(error) => assert_eq!(error.code(), "concurrent_modification"),
                }
            };
            println!("\nnumber {number} of u{user}");
        }
    };
    join_all((0..users).map(count)).await;
}

fn start(kind: Kind, folder: &Path, times: u32) -> Child {
    start_many(kind, folder, times, 1)
}

fn start_many(kind: Kind, folder: &Path, times: u32, users: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "stores::process", "--nocapture"])
        .envs([("FLOWSTATE_KIND", format!("{kind:?}")), ("FLOWSTATE_TIMES", times.to_string())])
        .env("FLOWSTATE_FOLDER", folder)
        .env("FLOWSTATE_USERS", users.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The numbers that a process tells, and of whom.
fn told(child: &mut Child) -> impl Iterator<Item = (u64, usize)> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.filter_map(|line| {
        let line = line.unwrap();
        let (number, user) = line.strip_prefix("number ")?.split_once(" of u")?;
        Some((number.parse().ok()?, user.parse().ok()?))
    })
}

fn numbers(child: &mut Child) -> impl Iterator<Item = u64> + use<> {
    told(child).map(|(number, _)| number)
}

/// Random moments for kills; `FLOWSTATE_KILLS` says how many, `FLOWSTATE_SEED` which.
struct Moments {
    kills: u32,
    seed: u64,
}

impl Moments {
    fn new(what: &str, kills: u32) -> Self {
        let given = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
        let kills = given("FLOWSTATE_KILLS").map_or(kills, |kills| kills.try_into().unwrap());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let seed = given("FLOWSTATE_SEED").unwrap_or(now.as_secs());
        println!("{what}: {kills} kills, FLOWSTATE_SEED={seed}");
        Self { kills, seed }
    }

    /// Waits for up to so many milliseconds.
    fn wait(&mut self, most: u64) {
        // (a linear congruence; its high bits are the random ones)
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        std::thread::sleep(Duration::from_micros((self.seed >> 33) % (most * 1000)));
    }
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    for &kind in KINDS.iter().filter(|kind| **kind != Kind::Memory) {
        let folder = Folder::new();
        let mut moments = Moments::new(&format!("{kind:?}"), 25);
        // the last number that was told, and how many may have been written since then and not told
        let (mut last, mut more, mut kept) = (0, 0, 0);
        let (mut writing, mut early) = (0, 0);
        for _ in 0..moments.kills {
            let mut child = start(kind, &folder.0, u32::MAX);
            moments.wait(100);
            child.kill().unwrap();
            let told: Vec<_> = numbers(&mut child).collect();
            child.wait().unwrap();
            assert!(told.is_sorted_by(|a, b| a < b), "{kind:?}: {told:?}");
            if let (Some(first), Some(end)) = (told.first(), told.last()) {
                assert!(*first > kept, "{kind:?}: {kept} was there, and {first} told again");
                (last, more) = (*end, 0);
            }
            more += 1;
            let now = whole(kind, &folder.0).await;
            assert!(
                now >= kept && (last..=last + more).contains(&now),
                "{kind:?}: {now} of {last}"
            );
            writing += u32::from(now > last.max(kept));
            early += u32::from(told.is_empty());
            kept = now;
        }
        println!(
            "{kind:?}: {kept} written; {early} kills before the first, {writing} after one that was not told"
        );
        assert!(kept > 0, "{kind:?}: nothing was ever written");
    }
}

#[tokio::test]
async fn what_many_wrote_at_once_survives_a_kill() {
    const USERS: usize = 16;
    for &kind in KINDS.iter().filter(|kind| **kind != Kind::Memory) {
        let folder = Folder::new();
        let mut moments = Moments::new(&format!("{kind:?}, {USERS} users"), 10);
        let mut kept = vec![0; USERS];
        for _ in 0..moments.kills {
            let mut child = start_many(kind, &folder.0, u32::MAX, USERS);
            moments.wait(200);
            child.kill().unwrap();
            let told: Vec<_> = told(&mut child).collect();
            child.wait().unwrap();
            let now = all_whole(kind, &folder.0, USERS).await;
            for (user, (kept, now)) in kept.iter().zip(&now).enumerate() {
                let last = told.iter().rev().find(|(_, of)| *of == user);
                let last = last.map_or(*kept, |(number, _)| *number);
                // one may have been written and not told
                assert!((last..=last + 1).contains(now), "{kind:?}: {now} of {last} for u{user}");
            }
            kept = now;
        }
        println!("{kind:?}: {} written", kept.iter().sum::<u64>());
        assert!(kept.iter().sum::<u64>() > 0, "{kind:?}: nothing was ever written");
    }
}

#[tokio::test]
async fn processes_share_a_database() {
    for &kind in SHARED {
        let folder = Folder::new();
        let mut children: Vec<_> = (0..3).map(|_| start(kind, &folder.0, 30)).collect();
        let mut told: Vec<_> =
            children.iter_mut().flat_map(|child| numbers(child).collect::<Vec<_>>()).collect();
        for child in &mut children {
            assert!(child.wait().unwrap().success());
        }
        told.sort_unstable();
        // a write of the session may have gone through, and that of the user not, so there may be more of the one
        assert_eq!(told, (1..=90).collect::<Vec<_>>());
        assert_eq!(whole(kind, &folder.0).await, 90);
    }
}

/// On a server of its own, which is nobody else's while it is killed.
#[cfg(feature = "postgres")]
#[test]
fn what_a_server_acknowledged_survives_its_kill() {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/postgres");
    let mut test = Command::new(server);
    test.arg(std::env::current_exe().unwrap());
    test.args(["--ignored", "--exact", "stores::killed_server", "--nocapture"]);
    let done = test.output().unwrap();
    println!("{}", String::from_utf8_lossy(&done.stdout));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[cfg(feature = "postgres")]
#[tokio::test]
#[ignore = "another test starts it beside a server of its own"]
async fn killed_server() {
    let folder = Folder::new();
    postgres(&folder.0).await;
    let crash = std::env::var("FLOWSTATE_POSTGRES_CRASH").unwrap();
    let mut child = start(Kind::Postgres, &folder.0, u32::MAX);
    let mut told = numbers(&mut child);
    let mut all = Vec::new();
    let mut moments = Moments::new("the server", 5);
    for _ in 0..moments.kills {
        all.extend(told.by_ref().take(1));
        moments.wait(300);
        assert!(Command::new("bash").arg("-c").arg(&crash).status().unwrap().success());
        whole(Kind::Postgres, &folder.0).await;
    }
    all.extend(told.by_ref().take(20));
    child.kill().unwrap();
    all.extend(told);
    child.wait().unwrap();
    // one that was lost would be told twice
    assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    let (last, kept) = (*all.last().unwrap(), whole(Kind::Postgres, &folder.0).await);
    assert!(kept >= last, "{kept} of {last}");
    println!("the server: {kept} written, {} told", all.len());
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_table_that_is_there_takes_no_right_to_make_one() {
    let folder = Folder::new();
    let store = postgres(&folder.0).await;
    let key = Key::new(Reach::User, "u", "prefs");
    let done = store.swap(&key, None, json!({})).await.unwrap();
    assert!(matches!(done, Swap::Done(_)));

    let url = std::env::var("FLOWSTATE_POSTGRES").unwrap();
    let schema = folder.0.file_name().unwrap().to_str().unwrap();
    let role = format!("only {schema}");
    let sql = format!(
        r#"CREATE ROLE "{role}" LOGIN; GRANT USAGE ON SCHEMA "{schema}" TO "{role}";
        GRANT SELECT, INSERT, UPDATE, DELETE ON "{schema}".flowstate_state TO "{role}""#
    );
    let psql = |sql: &str| {
        let done = Command::new("psql").args([&*url, "-v", "ON_ERROR_STOP=1", "-qc", sql]).status();
        assert!(done.unwrap().success(), "{sql}");
    };
    psql(&sql);
    let theirs = url.replace("flowstate@", &format!("{}@", role.replace(' ', "%20")));
    let store = flowstate::store::PostgresStore::connect_in(&theirs, schema).await.unwrap();
    assert_eq!(store.load(&key).await.unwrap().unwrap().value, json!({}));
    store.remove(Reach::User, "u").await.unwrap();
    // and it has no right to more
    let none = format!("{schema} more");
    let error = flowstate::store::PostgresStore::connect_in(&theirs, &none).await.unwrap_err();
    assert!(error.to_string().contains("permission denied"), "{error}");
    psql(&format!(r#"DROP OWNED BY "{role}"; DROP ROLE "{role}""#));
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_server_that_is_not_there_is_said() {
    let store = flowstate::store::PostgresStore::connect("postgres://nobody@127.0.0.1:1/none");
    let error = store.await.unwrap_err();
    assert_eq!(error.code(), "store_failed");
    assert!(error.to_string().contains("the Postgres database could not be opened"), "{error}");
}

/// A pooler that drops the options of a connection, as PgBouncer does where it is told to ignore them.
#[cfg(feature = "postgres")]
async fn drops_options(listener: tokio::net::UnixListener, server: PathBuf) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::UnixStream;

    while let Ok((mut client, _)) = listener.accept().await {
        let length = client.read_u32().await.unwrap() as usize;
        let mut start = vec![0; length - 4];
        client.read_exact(&mut start).await.unwrap();
        // names and values, each with a zero after it, and a zero
        let mut parts = start[4..].split(|byte| *byte == 0);
        let mut kept = start[..4].to_vec();
        while let (Some(name), Some(value)) = (parts.next(), parts.next())
            && !name.is_empty()
        {
            if name != b"options" {
                kept.extend([name, value].iter().flat_map(|part| [part, &b"\0"[..]].concat()));
            }
        }
        kept.push(0);
        let mut server = UnixStream::connect(server.join(".s.PGSQL.5432")).await.unwrap();
        server.write_u32(u32::try_from(kept.len() + 4).unwrap()).await.unwrap();
        server.write_all(&kept).await.unwrap();
        tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
    }
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn behind_a_pooler_a_schema_is_not_lost() {
    let folder = Folder::new();
    let url = std::env::var("FLOWSTATE_POSTGRES").unwrap();
    let (base, server) = url.split_once("?host=").unwrap();
    std::fs::create_dir_all(&folder.0).unwrap();
    let listener = tokio::net::UnixListener::bind(folder.0.join(".s.PGSQL.5432")).unwrap();
    tokio::spawn(drops_options(listener, server.into()));
    let schema = folder.0.file_name().unwrap().to_str().unwrap();
    let role = format!("pooled_{}", schema.replace('-', "_"));
    let psql = |sql: &str| {
        let done = Command::new("psql").args([&*url, "-v", "ON_ERROR_STOP=1", "-qc", sql]).status();
        assert!(done.unwrap().success(), "{sql}");
    };
    psql(&format!("CREATE ROLE {role} SUPERUSER LOGIN"));
    let base = base.replace("flowstate@", &format!("{role}@"));
    let theirs = format!("{base}?host={}", folder.0.display());
    let connect = || flowstate::store::PostgresStore::connect_in(&theirs, schema);
    let text = connect().await.unwrap_err().to_string();
    assert!(text.contains("`search_path` did not reach the server"), "{text}");
    // as it says
    psql(&format!(r#"ALTER ROLE {role} SET search_path = "{schema}""#));
    psql(&format!("ALTER ROLE {role} SET synchronous_commit = off"));
    let text = connect().await.unwrap_err().to_string();
    assert!(text.contains("`synchronous_commit` did not reach the server"), "{text}");
    psql(&format!("ALTER ROLE {role} SET synchronous_commit = on"));
    let (store, direct) = (connect().await.unwrap(), postgres(&folder.0).await);
    let key = Key::new(Reach::User, "u", "prefs");
    store.swap(&key, None, json!(1)).await.unwrap();
    assert_eq!(direct.load(&key).await.unwrap().unwrap().value, json!(1));
    drop(store);
    psql(&format!("DROP OWNED BY {role} CASCADE; DROP ROLE {role}"));
}
