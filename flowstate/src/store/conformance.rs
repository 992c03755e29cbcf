//! What every store must do, as one function that a test of it calls.

use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Key, Record, Store, Swap};
use crate::schema::Reach;

/// Checks that a store does what it must: values and their versions, conflicts, keys with odd characters, and 64 writers at
/// once that lose nothing to each other, and that what is removed never comes back, nor a version of it. It leaves what it has
/// written under ids that begin with `conformance`.
///
/// # Panics
/// Where the store falls short, with what it did.
pub async fn conformance(store: &dyn Store) {
    values(store).await;
    keys(store).await;
    writers(store).await;
    removal(store).await;
}

async fn load(store: &dyn Store, key: &Key) -> Option<Record> {
    store.load(key).await.unwrap_or_else(|error| panic!("loading {key} failed: {error}"))
}

async fn swap(store: &dyn Store, key: &Key, expected: Option<u64>, value: Value) -> Swap {
    let done = store.swap(key, expected, value).await;
    done.unwrap_or_else(|error| panic!("swapping {key} failed: {error}"))
}

/// A swap that must go through; gives the new version.
async fn put(store: &dyn Store, key: &Key, expected: Option<u64>, value: &Value) -> u64 {
    match swap(store, key, expected, value.clone()).await {
        Swap::Done(version) => version,
        Swap::Conflict(found) => {
            panic!("{key} is at the expected version {expected:?}, and the swap met {found:?}")
        }
    }
}

async fn values(store: &dyn Store) {
    let new = format!("conformance {}", Uuid::now_v7());
    let key = Key::new(Reach::Session, new, "values");
    assert_eq!(load(store, &key).await, None, "nothing was written to {key} so far");
    let met = swap(store, &key, Some(1), json!({})).await;
    assert_eq!(met, Swap::Conflict(None), "there is no version 1 of {key}");
    assert_eq!(load(store, &key).await, None, "a swap that met a conflict wrote to {key}");

    let value = json!({
        "text": "ä \u{1F980} \0 \" \\ \n", "big": u64::MAX, "small": i64::MIN, "part": 0.1, "no": null,
        "list": [1, [2], {}], "": {"a": {"b.c": true}},
    });
    let mut last = put(store, &key, None, &value).await;
    for value in [json!({"a": 1}), json!(null), json!([]), json!("text"), value] {
        let version = put(store, &key, Some(last), &value).await;
        assert!(version > last, "the version went from {last} to {version}");
        for wrong in [None, Some(last), Some(version + 1)] {
            let met = swap(store, &key, wrong, json!("not this")).await;
            let there = Some(Record { version, value: value.clone() });
            assert_eq!(met, Swap::Conflict(there.clone()), "a swap of {wrong:?} at {version}");
            assert_eq!(load(store, &key).await, there, "what is there after that conflict");
        }
        last = version;
    }
}

async fn keys(store: &dyn Store) {
    let long = "long/".repeat(200);
    let ids = [
        "conformance",
        "Conformance",
        "conformance ",
        "conformance/..",
        "conformance/../up",
        "conformance\\x",
        "conformance:x",
        "conformance%",
        "conformance%2F",
        "conformance_",
        "conformance'",
        "conformance\"",
        "conformance.json",
        "conformance\n",
        "conformance\0",
        "conformanceä",
        "conformance\u{1F980}",
        "",
        ".",
        "..",
        "/",
        "con",
        &long,
    ];
    let mut all: Vec<_> = ids.iter().map(|id| Key::new(Reach::Session, *id, "keys")).collect();
    all.extend([Reach::User, Reach::Org].map(|reach| Key::new(reach, ids[0], "keys")));
    let states = ["Keys", "keys.more", "keys/more", "keys'", ""];
    all.extend(states.map(|state| Key::new(Reach::Session, ids[0], state)));
    let value = |i: usize| json!({ "number": i });
    for (i, key) in all.iter().enumerate() {
        // (a store that is checked twice has them)
        let version = load(store, key).await.map(|found| found.version);
        put(store, key, version, &value(i)).await;
    }
    for (i, key) in all.iter().enumerate() {
        let found = load(store, key).await.map(|found| found.value);
        assert_eq!(found, Some(value(i)), "{key} has the value of another key");
    }
}

async fn removal(store: &dyn Store) {
    let id = format!("conformance {}", Uuid::now_v7());
    let other = format!("{id}!");
    let of = |reach, id: &str, state| Key::new(reach, id, state);
    let gone = [of(Reach::Session, &id, "a"), of(Reach::Session, &id, "b")];
    let stay = [of(Reach::User, &id, "a"), of(Reach::Session, &other, "a")];
    for key in gone.iter().chain(&stay) {
        put(store, key, None, &json!({})).await;
    }
    for _ in 0..2 {
        let removed = store.remove(Reach::Session, &id).await;
        removed.unwrap_or_else(|error| panic!("removing the session {id:?} failed: {error}"));
        for key in &gone {
            assert_eq!(load(store, key).await, None, "{key} was removed");
        }
        for key in &stay {
            assert!(load(store, key).await.is_some(), "{key} is no key of what was removed");
        }
    }
    put(store, &gone[0], None, &json!([])).await;
    assert_eq!(load(store, &gone[1]).await, None, "what was removed came back");

    let (key, mut highest) = (&gone[0], 0);
    for round in 0..3 {
        // (what was put last, above, too)
        let mut last = load(store, key).await.map(|found| found.version);
        for _ in 0..=round {
            let version = put(store, key, last, &json!({})).await;
            assert!(
                version > highest,
                "{key} was removed, and after version {highest} got {version}"
            );
            (last, highest) = (Some(version), version);
        }
        store.remove(key.reach, &key.id).await.expect("it was removed before");
        let met = swap(store, key, last, json!({})).await;
        assert_eq!(met, Swap::Conflict(None), "a swap of {last:?} after {key} was removed");
    }
}

async fn writers(store: &dyn Store) {
    const WRITERS: u64 = 64;
    let key = Key::new(Reach::User, "conformance", "writers");
    let count = |record: &Option<Record>| {
        record.as_ref().and_then(|found| found.value["count"].as_u64()).unwrap_or(0)
    };
    let before = count(&load(store, &key).await);
    let write = async || {
        let mut found = load(store, &key).await;
        loop {
            let (version, next) = (found.as_ref().map(|found| found.version), count(&found) + 1);
            match swap(store, &key, version, json!({ "count": next })).await {
                Swap::Done(version) => return version,
                Swap::Conflict(newer) => {
                    assert_ne!(
                        newer.as_ref().map(|newer| newer.version),
                        version,
                        "a conflict with the version that was expected"
                    );
                    found = newer;
                }
            }
        }
    };
    let mut versions = join_all((0..WRITERS).map(|_| write())).await;
    versions.sort_unstable();
    versions.dedup();
    assert_eq!(versions.len() as u64, WRITERS, "two swaps ended in one version");
    let after = count(&load(store, &key).await);
    assert_eq!(after - before, WRITERS, "{WRITERS} writers each added one");
}
