//! What a store is asked for, and what of a state it keeps.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flowstate::error::StateError;
use flowstate::prelude::*;
use flowstate::schema::Reach;
use flowstate::store::{Answer, Key, MemoryStore, Record, Store, Swap};
use futures_util::FutureExt as _;
use serde_json::{Value, json};

/// A store in memory that counts, and can be told to be too slow or to fail.
#[derive(Clone, Default)]
struct Watched {
    inner: MemoryStore,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    loads: AtomicU32,
    swaps: AtomicU32,
    /// How many swaps another process is to be faster than.
    outrun: AtomicU32,
    fail: Mutex<Option<&'static str>>,
}

impl Watched {
    fn asked(&self) -> (u32, u32) {
        let Counts { loads, swaps, .. } = &*self.counts;
        (loads.load(Ordering::Relaxed), swaps.load(Ordering::Relaxed))
    }

    fn failure(&self, what: &str) -> Result<(), std::io::Error> {
        match *self.counts.fail.lock().unwrap() {
            Some(fails) if fails == what => Err(std::io::Error::other("the disk is gone")),
            _ => Ok(()),
        }
    }
}

impl Store for Watched {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        // (what the app notes of the session itself does not count)
        if key.state.starts_with('!') {
            return self.inner.load(key);
        }
        self.counts.loads.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            self.failure("load")?;
            self.inner.load(key).await
        })
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        if key.state.starts_with('!') {
            return self.inner.swap(key, expected, value);
        }
        self.counts.swaps.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            self.failure("swap")?;
            let outrun = &self.counts.outrun;
            let faster = |left: u32| left.checked_sub(1);
            if outrun.fetch_update(Ordering::Relaxed, Ordering::Relaxed, faster).is_ok() {
                let found = self.inner.load(key).await?;
                let mut other = found.as_ref().map_or(json!({}), |found| found.value.clone());
                let count = other["count"].as_u64().unwrap_or(0);
                other["count"] = json!(count + 100);
                self.inner.swap(key, found.map(|found| found.version), other).await?;
            }
            self.inner.swap(key, expected, value).await
        })
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        self.inner.remove(reach, id)
    }
}

fn app() -> (Watched, App) {
    let store = Watched::default();
    (store.clone(), App::builder().store(store).build().unwrap())
}

#[state]
struct Bag {
    count: u64,
    ratio: f64,
    maybe: Option<f64>,
    names: HashSet<String>,
    nested: Vec<HashSet<u32>>,
    pairs: HashMap<(u8, u8), u8>,
    twice: Option<Option<u8>>,
    #[serde(rename = "titleText", skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[state(transient)]
    scratch: f64,
}

/// Runs a function of the session's state in a request of its own.
macro_rules! run {
    ($app:expr, |$bag:ident| $body:expr) => {{
        #[block(handler, session = Bag)]
        async fn body(_: (), ctx: Ctx) -> Result<Value> {
            let $bag = &ctx.session;
            let done = $body;
            Ok(json!(done))
        }
        $app.request().session("s").run(body, ()).await
    }};
}

#[tokio::test]
async fn a_request_loads_once_and_a_write_is_one_swap() {
    let (store, app) = app();
    #[block(handler, session = Bag)]
    async fn bump(input: u64, ctx: Ctx) -> Result<u64> {
        ctx.session.count.inc(input).await?;
        Ok(ctx.session.count.get())
    }
    #[block(sequencer)]
    fn three(input: u64) -> u64 {
        input.step(bump).step(bump).step(bump)
    }
    assert_eq!(app.request().session("s").run(three, 1).await.unwrap(), 4);
    assert_eq!(store.asked(), (1, 3));
    // (the first of them adds nothing)
    assert_eq!(app.request().session("s").run(three, 0).await.unwrap(), 16);
    assert_eq!(store.asked(), (2, 5));
}

#[tokio::test]
async fn the_same_value_is_not_written() {
    let (store, app) = app();
    assert_eq!(run!(app, |bag| bag.count.set(0).await?).unwrap(), false);
    assert_eq!(run!(app, |bag| bag.update(|_| ()).await?).unwrap(), false);
    assert_eq!(store.asked(), (2, 0));
    assert_eq!(app.state::<Bag>().session("s").raw().await.unwrap(), None);
}

#[tokio::test]
async fn without_a_name_it_stays_in_memory() {
    let (store, app) = app();
    #[block(handler, session = Bag, user = Bag, org = Bag)]
    async fn all(_: (), ctx: Ctx) -> Result<u64> {
        ctx.session.count.inc(1).await?;
        ctx.user.count.inc(1).await?;
        ctx.org.count.inc(1).await?;
        Ok(ctx.session.count.get() + ctx.user.count.get() + ctx.org.count.get())
    }
    assert_eq!(app.run(all, ()).await.unwrap(), 3);
    assert_eq!(store.asked(), (0, 0));
    assert_eq!(app.request().session("s").user("s").org("s").run(all, ()).await.unwrap(), 3);
    assert_eq!(store.asked(), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn a_faster_process_is_taken_note_of_and_the_change_runs_again() {
    let (store, app) = app();
    static RUNS: AtomicU64 = AtomicU64::new(0);
    store.counts.outrun.store(3, Ordering::Relaxed);
    let start = tokio::time::Instant::now();
    let done = run!(app, |bag| {
        let before = bag
            .modify(|bag| {
                RUNS.fetch_add(1, Ordering::Relaxed);
                bag.count += 1;
                bag.count - 1
            })
            .await?;
        (before, bag.count.get())
    });
    assert_eq!(done.unwrap(), json!([300, 301]));
    assert_eq!(RUNS.load(Ordering::Relaxed), 4);
    assert_eq!(start.elapsed(), Duration::from_millis(10 + 20 + 40));
}

#[tokio::test(start_paused = true)]
async fn four_attempts_and_no_more() {
    let (store, app) = app();
    store.counts.outrun.store(4, Ordering::Relaxed);
    let error = run!(app, |bag| bag.count.inc(1).await?).unwrap_err();
    assert_eq!((error.code(), error.retryable()), ("concurrent_modification", true));
    let of = StateError::Concurrent { state: "Bag", attempts: 4 };
    assert_eq!(error.downcast_ref::<StateError>(), Some(&of));
    assert_eq!(store.asked().1, 4);
    assert_eq!(app.state::<Bag>().session("s").get().await.unwrap().count, 400);
}

#[tokio::test]
async fn what_json_would_change_is_refused() {
    let (store, app) = app();
    let refused = |done: Result<Value>, field: &str| {
        let error = done.unwrap_err();
        assert_eq!(error.code(), "state_not_storable");
        match error.downcast_ref() {
            Some(StateError::NotStorable { field: found, .. }) => assert_eq!(found, field),
            other => panic!("{other:?}"),
        }
    };
    refused(run!(app, |bag| bag.ratio.set(f64::NAN).await?), "Bag.ratio");
    refused(run!(app, |bag| bag.ratio.set(f64::INFINITY).await?), "Bag.ratio");
    refused(run!(app, |bag| bag.maybe.set(Some(f64::NAN)).await?), "Bag.maybe");
    refused(run!(app, |bag| bag.twice.set(Some(None)).await?), "Bag.twice");
    refused(run!(app, |bag| bag.pairs.insert((1, 2), 3).await?), "Bag.pairs");
    assert_eq!(store.asked().1, 0);

    // what JSON keeps, in whatever order
    let names = || (0..50).map(|i: u32| i.to_string()).collect::<HashSet<_>>();
    run!(app, |bag| {
        bag.names.set((0..50).map(|i: u32| i.to_string()).collect()).await?;
        bag.nested.push((0..50).collect()).await?;
        bag.ratio.set(-0.0).await?;
        bag.twice.set(Some(Some(1))).await?
    })
    .unwrap();
    let kept = app.state::<Bag>().session("s").get().await.unwrap();
    assert_eq!(kept.names, names());
    assert!(kept.ratio.is_sign_negative());
}

#[tokio::test]
async fn a_transient_field_is_the_request_s_own() {
    let (store, app) = app();
    let done = run!(app, |bag| {
        bag.scratch.set(f64::NAN).await?;
        let alone = bag.scratch.get().is_nan();
        bag.count.inc(1).await?;
        (alone, bag.scratch.get().is_nan())
    });
    assert_eq!(done.unwrap(), json!([true, true]));
    assert_eq!(store.asked().1, 1, "a transient field alone is not written");
    assert_eq!(run!(app, |bag| bag.scratch.get()).unwrap(), 0.0);
    let raw = app.state::<Bag>().session("s").raw().await.unwrap().unwrap();
    assert_eq!((raw.get("scratch"), raw.get("count")), (None, Some(&json!(1))));

    // and it outlives what another request writes
    let kept = app.state::<Bag>().session("s");
    #[block(handler, session = Bag, needs = [App])]
    async fn between(_: (), ctx: Ctx) -> Result<(f64, u64)> {
        ctx.session.scratch.set(0.5).await?;
        run!(ctx.needs.app, |bag| bag.count.inc(10).await?)?;
        ctx.session.count.inc(1).await?;
        Ok((ctx.session.scratch.get(), ctx.session.count.get()))
    }
    let outer = App::builder().store(store).provide(app).build().unwrap();
    assert_eq!(outer.request().session("s").run(between, ()).await.unwrap(), (0.5, 12));
    assert_eq!(kept.get().await.unwrap().count, 12);
}

#[tokio::test]
async fn fields_that_are_not_known_stay_and_missing_ones_are_default() {
    let (_, app) = app();
    let kept = app.state::<Bag>().session("s");
    kept.write_raw(json!({ "count": 7, "titleText": "old", "later": { "x": [1] } })).await.unwrap();
    let done = run!(app, |bag| {
        bag.count.inc(1).await?;
        (bag.count.get(), bag.ratio.get(), bag.title.get())
    });
    assert_eq!(done.unwrap(), json!([8, 0.0, "old"]));
    let raw = kept.raw().await.unwrap().unwrap();
    assert_eq!((&raw["later"], &raw["count"]), (&json!({ "x": [1] }), &json!(8)));
    assert_eq!(raw["titleText"], "old");

    // a known field that is left out now does not come back
    run!(app, |bag| bag.title.set(None).await?).unwrap();
    let raw = kept.raw().await.unwrap().unwrap();
    assert_eq!((raw.get("titleText"), &raw["later"]["x"]), (None, &json!([1])));
}

#[tokio::test]
async fn what_cannot_be_read_is_put_aside_by_the_first_write() {
    let (store, app) = app();
    let kept = app.state::<Bag>().session("s");
    for (i, wrong) in [json!({ "count": "many" }), json!([1]), json!(null)].iter().enumerate() {
        kept.write_raw(wrong.clone()).await.unwrap();
        let swaps = store.asked().1;
        assert_eq!(run!(app, |bag| bag.count.get()).unwrap(), 0);
        assert_eq!(run!(app, |bag| bag.count.set(0).await?).unwrap(), false);
        assert_eq!(kept.raw().await.unwrap().as_ref(), Some(wrong));
        assert_eq!((kept.quarantined().await.unwrap().len(), store.asked().1), (i, swaps));

        assert_eq!(run!(app, |bag| bag.count.inc(1).await?).unwrap(), true);
        assert_eq!(kept.get().await.unwrap().count, 1);
        let aside = kept.quarantined().await.unwrap();
        assert_eq!((aside.len(), aside.last()), (i + 1, Some(wrong)));
    }
}

#[tokio::test]
async fn a_store_that_fails_says_so() {
    let (store, app) = app();
    *store.counts.fail.lock().unwrap() = Some("load");
    let error = run!(app, |bag| bag.count.get()).unwrap_err();
    assert_eq!((error.code(), error.path()), ("store_failed", "body"));
    assert_eq!(error.to_string(), "`bag` of session \"s\" could not be read: the disk is gone");
    assert!(error.is::<std::io::Error>());

    *store.counts.fail.lock().unwrap() = Some("swap");
    let done = run!(app, |bag| {
        let error = bag.count.inc(1).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "`bag` of session \"s\" could not be written: the disk is gone"
        );
        (error.code().to_owned(), bag.count.get())
    });
    assert_eq!(done.unwrap(), json!(["store_failed", 0]));
}

#[tokio::test]
async fn a_panic_or_an_error_in_a_change_changes_nothing() {
    let (store, app) = app();
    let error = run!(app, |bag| bag.update(|_| panic!("no")).await?).unwrap_err();
    assert_eq!(error.code(), "block_panicked");
    let error = run!(app, |bag| {
        bag.try_modify(|bag| {
            bag.count = 9;
            Err::<(), _>(Error::msg("not today"))
        })
        .await?;
    })
    .unwrap_err();
    assert_eq!(error.to_string(), "not today");
    assert_eq!(store.asked().1, 0);
    assert_eq!(run!(app, |bag| bag.count.inc(1).await?).unwrap(), true);
}

#[tokio::test]
async fn a_write_from_inside_a_change_is_refused() {
    let (_, app) = app();
    let done = run!(app, |bag| {
        let mut inner = None;
        bag.update(|state| {
            state.count = 1;
            inner = Some(bag.count.inc(1).now_or_never().expect("it is refused at once"));
        })
        .await?;
        (inner.unwrap().unwrap_err().code().to_owned(), bag.count.get())
    });
    assert_eq!(done.unwrap(), json!(["state_reentrant", 1]));
}

#[tokio::test]
async fn another_request_s_write_is_seen_at_the_next_write() {
    let (_, app) = app();
    let kept = app.state::<Bag>().session("s");
    #[block(handler, session = Bag, needs = [Mended])]
    async fn look(_: (), ctx: Ctx) -> Result<(u64, u64)> {
        ctx.needs.mended.0.state::<Bag>().session("s").write_raw(json!({ "count": 5 })).await?;
        let before = ctx.session.count.get();
        ctx.session.count.inc(1).await?;
        Ok((before, ctx.session.count.get()))
    }
    struct Mended(App);
    let store = MemoryStore::new();
    let inner = App::builder().store(store.clone()).build().unwrap();
    let outer = App::builder().store(store).provide(Mended(inner)).build().unwrap();
    assert_eq!(outer.request().session("s").run(look, ()).await.unwrap(), (0, 6));
    assert_eq!(kept.get().await.unwrap().count, 0, "another store");
}

#[tokio::test]
async fn an_app_without_a_store_can_be_looked_at_too() {
    let app = App::builder().build().unwrap();
    run!(app, |bag| bag.count.inc(3).await?).unwrap();
    let kept = app.state::<Bag>().session("s");
    assert_eq!(kept.get().await.unwrap().count, 3);
    assert_eq!(kept.raw().await.unwrap().unwrap()["count"], 3);
    assert_eq!(kept.quarantined().await.unwrap(), Vec::<Value>::new());
    kept.write_raw(json!({ "count": 8 })).await.unwrap();
    assert_eq!(run!(app, |bag| bag.count.get()).unwrap(), 8);
    let error = kept.write_raw(json!({ "count": "x" })).await.unwrap_err();
    assert_eq!(error.code(), "validation_error");
    assert_eq!(kept.get().await.unwrap().count, 8);
}

#[tokio::test]
async fn validate_refuses_before_the_store_is_asked() {
    #[state]
    struct Small {
        #[state(validate = |n: &u32| if *n < 3 { Ok(()) } else { Err("too big".into()) })]
        n: u32,
        by: BTreeMap<u32, u32>,
    }
    #[block(handler, session = Small)]
    async fn set(n: u32, ctx: Ctx) -> Result<bool> {
        ctx.session.by.insert(n, n).await?;
        ctx.session.n.set(n).await
    }
    let (store, app) = app();
    let run = |n| app.request().session("s").run(set, n);
    assert!(run(2).await.unwrap());
    let error = run(3).await.unwrap_err();
    assert_eq!((error.code(), store.asked().1), ("state_rejected", 3));
    let kept = app.state::<Small>().session("s").raw().await.unwrap();
    assert_eq!(kept, Some(json!({ "n": 2, "by": { "2": 2, "3": 3 } })));
}
