//! Every operation of block state: what it returns, what it counts as a change, and what it refuses.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use flowstate::prelude::*;
use flowstate::state::{State, same};
use indexmap::{IndexMap, IndexSet};

/// A test that is the body of a handler: `s` is its `ctx.self_`.
macro_rules! on_state {
    ($name:ident, $state:ty, |$s:ident| $body:block) => {
        #[tokio::test]
        async fn $name() {
            #[block(handler, state = $state)]
            async fn probe(_: (), ctx: Ctx) -> Result<()> {
                let $s = &ctx.self_;
                $body
                Ok(())
            }
            flowstate::run(probe, ()).await.unwrap();
        }
    };
}

/// Each write returns what is said, and counts as a change only where that is `true`.
macro_rules! writes {
    ($s:expr; $($op:expr => $want:expr),* $(,)?) => {$({
        let before = $s.version();
        assert_eq!($op?, $want, "{}", stringify!($op));
        assert_eq!($s.version() - before, u64::from($want), "version after {}", stringify!($op));
    })*};
}

/// Each write is refused with the code, and leaves everything as it was.
macro_rules! refused {
    ($s:expr; $($op:expr => $code:expr),* $(,)?) => {$({
        let before = ($s.version(), $s.get());
        assert_eq!($op.unwrap_err().code(), $code, "{}", stringify!($op));
        assert_eq!($s.version(), before.0, "version after {}", stringify!($op));
        assert!($s.get().same(&before.1), "state after {}", stringify!($op));
    })*};
}

macro_rules! integers {
    ($($name:ident: $int:ident),*) => {$(
        mod $name {
            use super::*;

            #[state]
            struct Number {
                n: $int,
                maybe: Option<$int>,
            }

            on_state!(counts, Number, |s| {
                writes!(s;
                    s.n.inc(5) => true, s.n.inc(0) => false, s.n.dec(2) => true, s.n.dec(0) => false,
                    s.n.set(3) => false, s.n.set($int::MAX) => true,
                    s.maybe.inc(0) => true, s.maybe.inc(7) => true, s.maybe.dec(3) => true,
                    s.maybe.set(Some(4)) => false, s.maybe.set(Some($int::MAX)) => true,
                );
                refused!(s;
                    s.n.inc(1) => "state_delta_refused", s.maybe.inc(1) => "state_delta_refused",
                );
                writes!(s; s.n.set($int::MIN) => true, s.maybe.set(Some($int::MIN)) => true);
                refused!(s;
                    s.n.dec(1) => "state_delta_refused", s.maybe.dec(1) => "state_delta_refused",
                );
                writes!(s; s.maybe.set(None) => true, s.maybe.set(None) => false);
            });
        }
    )*};
}
integers!(
    of_u8: u8, of_u16: u16, of_u32: u32, of_u64: u64, of_u128: u128, of_usize: usize,
    of_i8: i8, of_i16: i16, of_i32: i32, of_i64: i64, of_i128: i128, of_isize: isize
);

macro_rules! floats {
    ($($name:ident: $float:ident),*) => {$(
        mod $name {
            use super::*;

            #[state]
            struct Number {
                n: $float,
                maybe: Option<$float>,
            }

            on_state!(counts, Number, |s| {
                writes!(s;
                    s.n.inc(1.5) => true, s.n.inc(0.0) => false, s.n.dec(0.5) => true,
                    s.n.set(1.0) => false, s.n.set($float::NAN) => true, s.n.set($float::NAN) => false,
                    s.n.set(0.0) => true, s.n.set(-0.0) => true, s.n.set(-0.0) => false,
                    s.n.set($float::INFINITY) => true,
                    s.maybe.dec(2.0) => true, s.maybe.set(Some(-2.0)) => false,
                );
                refused!(s; s.n.inc(1.0) => "state_delta_refused");
                writes!(s; s.n.set($float::MAX) => true);
                refused!(s;
                    s.n.inc($float::MAX) => "state_delta_refused",
                    s.n.inc($float::NAN) => "state_delta_refused",
                    s.n.dec($float::NEG_INFINITY) => "state_delta_refused",
                    s.maybe.inc($float::INFINITY) => "state_delta_refused",
                );
            });
        }
    )*};
}
floats!(of_f32: f32, of_f64: f64);

#[state]
struct Lists {
    list: Vec<u32>,
    queue: VecDeque<String>,
    maybe: Option<Vec<u32>>,
    maybe_queue: Option<VecDeque<u32>>,
}

on_state!(lists, Lists, |s| {
    writes!(s;
        s.list.push(1) => true, s.list.push(1) => true,
        s.list.set(vec![1, 1]) => false, s.list.set(vec![1]) => true,
        s.list.update(|list| list.push(2)) => true, s.list.update(|list| list.sort_unstable()) => false,
        s.queue.push("a".into()) => true, s.queue.set(VecDeque::from(["a".to_string()])) => false,
        s.maybe.push(1) => true, s.maybe.set(Some(vec![1])) => false, s.maybe.set(None) => true,
        s.maybe.set(Some(vec![])) => true, s.maybe_queue.push(9) => true,
    );
    assert_eq!(s.list.get(), [1, 2]);
    assert_eq!(s.maybe_queue.get(), Some(VecDeque::from([9])));
});

/// The same operations on each sort of map.
macro_rules! maps {
    ($($name:ident: $map:ident),*) => {$(
        mod $name {
            use super::*;

            #[state]
            struct Maps {
                map: $map<String, f64>,
                numbers: $map<u32, Vec<u32>>,
            }

            on_state!(works, Maps, |s| {
                writes!(s;
                    s.map.remove("a") => false, s.map.insert("a".into(), 1.0) => true,
                    s.map.insert("a".into(), 1.0) => false, s.map.insert("a".into(), f64::NAN) => true,
                    s.map.insert("a".into(), f64::NAN) => false, s.map.insert("a".into(), -0.0) => true,
                    s.map.insert("a".into(), 0.0) => true, s.map.insert("b".into(), 2.0) => true,
                    s.map.set(["b", "a"].into_iter().zip([2.0, 0.0]).map(|(k, v)| (k.into(), v)).collect()) => false,
                    s.map.remove("a") => true, s.map.remove("a") => false,
                    s.map.remove(&"b".to_string()) => true,
                    s.numbers.insert(1, vec![1]) => true, s.numbers.insert(1, vec![1]) => false,
                    s.numbers.update(|map| { map.entry(1).or_default().push(2); }) => true,
                    s.numbers.remove(&1) => true, s.numbers.remove(&1) => false,
                );
                assert!(s.map.get().is_empty() && s.numbers.get().is_empty());
            });
        }
    )*};
}
maps!(btree_map: BTreeMap, hash_map: HashMap, index_map: IndexMap);

macro_rules! sets {
    ($($name:ident: $set:ident),*) => {$(
        mod $name {
            use super::*;

            #[state]
            struct Sets {
                set: $set<String>,
                numbers: $set<u32>,
            }

            on_state!(works, Sets, |s| {
                writes!(s;
                    s.set.remove("a") => false, s.set.insert("a".into()) => true, s.set.insert("a".into()) => false,
                    s.set.update(|set| { set.insert("b".into()); }) => true,
                    s.set.remove("a") => true, s.set.remove(&"b".to_string()) => true, s.set.remove("b") => false,
                    s.numbers.set((0..100).collect()) => true,
                    s.numbers.set((0..100).collect()) => false,
                    s.numbers.update(|set| { set.retain(|n| *n != 7); set.insert(100); }) => true,
                    s.numbers.set((0..101).filter(|n| *n != 7).collect()) => false,
                    s.update(|s| s.numbers = (0..101).filter(|n| *n != 7).collect()) => false,
                );
                assert_eq!(s.numbers.get().len(), 100);
            });
        }
    )*};
}
sets!(btree_set: BTreeSet, hash_set: HashSet, index_set: IndexSet);

#[data]
struct Foreign {
    reading: f64,
    more: Option<Vec<f64>>,
}

#[state]
struct Bag {
    count: u32,
    #[state(default = 0.5)]
    score: f64,
    list: Vec<String>,
    map: BTreeMap<String, u32>,
    set: BTreeSet<u32>,
    foreign: Vec<Foreign>,
    by_name: HashMap<String, Foreign>,
    #[state(default = "idle".to_string())]
    mode: String,
}

on_state!(whole, Bag, |s| {
    assert_eq!((s.version(), s.score.get(), s.mode.get().as_str()), (0, 0.5, "idle"));
    writes!(s;
        s.update(|_| {}) => false,
        s.update(|s| { s.count = 1; s.list.push("a".into()); s.mode = "busy".into(); }) => true,
        s.update(|s| { s.count += 1; s.count -= 1; }) => false,
        s.set(s.get()) => false,
        s.set(Bag { count: 2, ..s.get() }) => true,
        s.set(Bag::default()) => true,
    );
    assert_eq!(s.modify(|s| std::mem::replace(&mut s.count, 5))?, 0);
    assert_eq!(s.modify(|s| s.count)?, 5);
    assert_eq!(
        s.try_modify(|s| {
            s.count += 1;
            Ok(s.count)
        })?,
        6
    );
    assert_eq!(
        s.count.modify(|count| {
            *count += 1;
            "done"
        })?,
        "done"
    );
    assert_eq!((s.count.get(), s.version()), (7, 6));
    refused!(s;
        s.try_modify(|s| { s.count = 99; Err::<(), _>(Error::with_code("no_thanks", "no")) }) => "no_thanks",
    );
});

on_state!(nan_and_zero_inside_foreign_types, Bag, |s| {
    let reading = |reading: f64| Foreign { reading, more: Some(vec![reading]) };
    writes!(s;
        s.foreign.set(vec![reading(f64::NAN)]) => true, s.foreign.set(vec![reading(f64::NAN)]) => false,
        s.foreign.set(vec![reading(0.0)]) => true, s.foreign.set(vec![reading(-0.0)]) => true,
        s.foreign.update(|all| all[0] = reading(-0.0)) => false,
        s.by_name.insert("a".into(), reading(f64::NAN)) => true,
        s.by_name.insert("a".into(), reading(-f64::NAN)) => false,
        s.by_name.update(|all| { all.insert("a".into(), reading(f64::NAN)); }) => false,
        s.update(|s| s.by_name.get_mut("a").unwrap().more = None) => true,
    );
    assert!(same(&Some(vec![f64::NAN]), &Some(vec![f64::NAN])));
});

on_state!(reads_inside_an_update_see_the_old_value, Bag, |s| {
    let look =
        || (s.count.get(), s.get().count, s.with(|s| s.count), s.count.with(|n| *n), s.version());
    s.count.set(1)?;
    s.update(|state| {
        state.count = 2;
        assert_eq!(look(), (1, 1, 1, 1, 1));
    })?;
    s.count.update(|count| {
        *count = 3;
        assert_eq!(look(), (2, 2, 2, 2, 2));
    })?;
    assert_eq!(look(), (3, 3, 3, 3, 3));
});

on_state!(a_read_in_place_does_not_see_writes_meanwhile, Bag, |s| {
    s.with(|before| -> Result<()> {
        writes!(s; s.count.inc(1) => true, s.update(|s| s.mode = "busy".into()) => true);
        assert_eq!((before.count, before.mode.as_str()), (0, "idle"));
        s.with(|now| assert_eq!((now.count, now.mode.as_str()), (1, "busy")));
        s.list.with(|list| {
            assert!(s.list.push("a".into()).unwrap());
            assert!(list.is_empty());
        });
        Ok(())
    })?;
    assert_eq!((s.count.get(), s.list.get().len(), s.version()), (1, 1, 3));
});

on_state!(copies_are_independent, Bag, |s| {
    let (mut copy, mut list) = (s.get(), s.list.get());
    copy.count = 9;
    copy.list.push("copy".into());
    list.push("list".into());
    assert_eq!((s.count.get(), s.list.get().len(), s.version()), (0, 0, 0));
    s.set(copy.clone())?;
    copy.list.push("later".into());
    assert_eq!(s.list.get(), ["copy"]);
    let handle = s.list;
    s.list.push("live".into())?;
    assert_eq!(handle.get(), ["copy", "live"], "a handle is live, its values are not");
});

/// The code that each write is refused with; empty where it is not.
fn every_write(s: &Local<'_, Bag>) -> Vec<String> {
    let code = |error: Error| error.code().to_owned();
    let all = [
        s.set(Bag { count: 100, ..Bag::default() }),
        s.set(s.get()),
        s.update(|s| s.count = 100),
        s.update(|_| {}),
        s.modify(|s| s.count = 100).map(|()| true),
        s.try_modify(|s| {
            s.count = 100;
            Ok(true)
        }),
        s.count.set(100),
        s.count.set(s.count.get()),
        s.count.update(|count| *count = 100),
        s.count.modify(|count| *count = 100).map(|()| true),
        s.count.inc(100),
        s.count.inc(0),
        s.count.dec(0),
        s.list.push("x".into()),
        s.map.insert("x".into(), 1),
        s.map.remove("x"),
        s.set.insert(1),
        s.set.remove(&1),
    ];
    all.into_iter().map(|result| result.map_or_else(code, |_| String::new())).collect()
}

on_state!(a_write_inside_an_update_is_refused_at_once, Bag, |s| {
    let mut seen = Vec::new();
    s.update(|state| {
        state.count += 1;
        seen.extend(every_write(s));
    })?;
    s.modify(|state| {
        state.count += 1;
        seen.extend(every_write(s));
    })?;
    s.try_modify(|state| {
        state.count += 1;
        seen.extend(every_write(s));
        Ok(())
    })?;
    s.count.update(|count| {
        *count += 1;
        seen.extend(every_write(s));
    })?;
    s.count.modify(|count| {
        *count += 1;
        seen.extend(every_write(s));
    })?;
    s.list.update(|list| {
        list.push("outer".into());
        seen.extend(every_write(s));
    })?;
    assert_eq!(seen.len(), 6 * 18);
    assert!(seen.iter().all(|code| code == "state_reentrant"), "{seen:?}");
    assert_eq!((s.count.get(), s.list.get(), s.version()), (5, vec!["outer".to_string()], 6));
    assert!(every_write(s).iter().all(String::is_empty), "and afterwards all is as ever");
});

on_state!(a_panic_inside_an_update_changes_nothing, Bag, |s| {
    macro_rules! panics {
        ($($op:expr;)*) => {$(
            assert!(catch_unwind(AssertUnwindSafe(|| $op.is_ok())).is_err(), "{}", stringify!($op));
        )*};
    }
    fn spoil(count: &mut u32) {
        *count = 9;
        panic!("on purpose")
    }
    s.count.set(1)?;
    panics! {
        s.update(|s| spoil(&mut s.count));
        s.modify(|s| spoil(&mut s.count));
        s.try_modify(|s| {
            spoil(&mut s.count);
            Ok(())
        });
        s.count.update(spoil);
        s.count.modify(spoil);
        s.with(|_| -> Result<()> { panic!("on purpose") });
    }
    assert_eq!((s.count.get(), s.version()), (1, 1));
    writes!(s; s.count.inc(1) => true, s.update(|s| s.count += 1) => true);
});

on_state!(handles_can_be_shown_anywhere, Bag, |s| {
    s.update(|_| assert!(format!("{s:?} {:?} {:?}", s.count, s.set).contains("Bag.count")))?;
});

#[state]
struct Other {
    total: u32,
}

#[tokio::test]
async fn two_containers_inside_each_others_update() {
    #[block(handler, state = Other, parent = Bag)]
    async fn inner(_: (), ctx: Ctx) -> Result<(u32, u32, String)> {
        let (own, parent) = (&ctx.self_, &ctx.parent);
        let mut refused = None;
        own.update(|own_state| {
            own_state.total += 1;
            let changed = parent.update(|parent_state| {
                parent_state.count += 10 + own.total.get();
                refused = Some(own.total.inc(1));
            });
            assert!(changed.unwrap());
            assert!(parent.count.inc(1).unwrap());
        })?;
        let code = refused.unwrap().unwrap_err().code().to_owned();
        Ok((own.total.get(), parent.count.get(), code))
    }
    #[block(sequencer, state = Bag)]
    fn outer(input: ()) -> (u32, u32, String) {
        input.step(inner)
    }
    let found = flowstate::run(outer, ()).await.unwrap();
    assert_eq!(found, (1, 11, "state_reentrant".to_string()));
}

fn short(text: &str) -> Result<(), String> {
    if text.len() <= 3 { Ok(()) } else { Err(format!("`{text}` is longer than 3")) }
}

#[state]
struct Checked {
    #[state(validate = |text: &String| short(text))]
    name: String,
    #[state(validate = |n: &u32| if *n <= 10 { Ok(()) } else { Err("more than 10".into()) })]
    count: u32,
    #[state(validate = |list: &Vec<u32>| if list.len() <= 2 { Ok(()) } else { Err("too many".into()) })]
    list: Vec<u32>,
    #[state(validate = |map: &BTreeMap<u32, u32>| if map.len() != 1 { Ok(()) } else { Err("just one".into()) })]
    map: BTreeMap<u32, u32>,
    #[state(validate = |set: &BTreeSet<u32>| if set.len() <= 1 { Ok(()) } else { Err("two".into()) })]
    set: BTreeSet<u32>,
    free: String,
}

on_state!(validate_refuses, Checked, |s| {
    writes!(s;
        s.name.set("abc".into()) => true, s.count.inc(10) => true, s.list.push(1) => true, s.list.push(2) => true,
        s.set.insert(1) => true, s.free.set("anything at all".into()) => true,
        s.update(|s| { s.map.insert(1, 1); s.map.insert(2, 2); }) => true,
    );
    refused!(s;
        s.name.set("abcd".into()) => "state_rejected", s.name.update(|name| name.push('d')) => "state_rejected",
        s.name.modify(|name| name.push('d')) => "state_rejected",
        s.count.inc(1) => "state_rejected", s.list.push(3) => "state_rejected", s.map.remove(&1) => "state_rejected",
        s.set.insert(2) => "state_rejected",
        s.update(|s| { s.free.clear(); s.name = "abcd".into(); }) => "state_rejected",
        s.modify(|s| s.count = 11) => "state_rejected", s.try_modify(|s| { s.count = 11; Ok(()) }) => "state_rejected",
        s.set(Checked { count: 11, ..Checked::default() }) => "state_rejected",
    );
    let text = s.count.inc(1).unwrap_err().to_string();
    assert!(text.contains("Checked.count") && text.contains("more than 10"), "{text}");
    writes!(s; s.map.insert(3, 3) => true, s.name.set(String::new()) => true);
});

on_state!(a_panic_in_validate_changes_nothing, Panicky, |s| {
    writes!(s; s.count.set(1) => true);
    let ops: [&dyn Fn() -> Result<bool>; 4] =
        [&|| s.count.set(5), &|| s.count.inc(4), &|| s.count.update(|n| *n = 5), &|| {
            s.update(|s| s.count = 5)
        }];
    for op in ops {
        assert!(catch_unwind(AssertUnwindSafe(|| op().is_ok())).is_err());
        assert_eq!((s.count.get(), s.version()), (1, 1));
    }
    writes!(s; s.count.inc(1) => true);
});

#[state]
struct Panicky {
    #[state(validate = |n: &u32| if *n < 5 { Ok(()) } else { panic!("on purpose") })]
    count: u32,
}

#[state(key = "kept")]
struct Kept {
    #[cfg(any())]
    gone: NoSuchType,
    #[state(transient)]
    scratch: u32,
    /// Has a keyword for a name.
    r#type: String,
    #[state(default = vec![1, 2], transient)]
    both: Vec<u32>,
}

#[test]
fn definitions_say_key_fields_and_what_is_transient() {
    let def = <Kept as State>::DEF;
    assert_eq!((def.name, def.key), ("Kept", "kept"));
    let fields: Vec<_> = def.fields.iter().map(|field| (field.name, field.transient)).collect();
    assert_eq!(fields, [("scratch", true), ("type", false), ("both", true)]);
    assert_eq!(<Bag as State>::DEF.key, "bag");
    #[state]
    struct TwoWords {
        x: u32,
    }
    assert_eq!((<TwoWords as State>::DEF.key, TwoWords::default().x), ("two_words", 0));
}

on_state!(transient_and_raw_names_are_ordinary_fields, Kept, |s| {
    assert_eq!(s.both.get(), [1, 2]);
    writes!(s; s.scratch.inc(1) => true, s.r#type.set("x".into()) => true, s.r#type.set("x".into()) => false);
});

#[test]
fn stored_json_may_lack_fields() {
    let bag: Bag = serde_json::from_str(r#"{ "count": 3 }"#).unwrap();
    assert_eq!((bag.count, bag.score, bag.mode.as_str()), (3, 0.5, "idle"));
}

#[data]
#[derive(Default, PartialEq)]
struct Login {
    name: String,
    #[serde(skip)]
    secret: String,
}

#[state]
struct Logins {
    login: Login,
    floats: Vec<f64>,
}

/// What serde does not show counts all the same, where the type says when it is equal.
#[block(handler, state = Logins)]
fn hidden(_: (), ctx: Ctx) -> Result<()> {
    let secret = |login: &mut Login| login.secret = "x".into();
    assert!(ctx.self_.login.update(secret)?);
    assert!(!ctx.self_.login.update(secret)?);
    assert!(ctx.self_.update(|state| state.login.secret.clear())?);
    assert!(ctx.self_.login.set(Login { secret: "y".into(), ..Login::default() })?);
    assert!(ctx.self_.floats.set(vec![f64::NAN, 0.0])?);
    assert!(!ctx.self_.floats.set(vec![f64::NAN, 0.0])?, "NaN is NaN");
    assert!(ctx.self_.floats.set(vec![f64::NAN, -0.0])?, "0.0 is not -0.0");
    Ok(())
}

#[tokio::test]
async fn what_serde_hides() {
    flowstate::run(hidden, ()).await.unwrap();
}
