//! Random sequences of operations on a state, beside the same on a plain struct.

use std::collections::{BTreeMap, HashSet};

use flowstate::prelude::*;
use proptest::prelude::*;

#[state]
#[derive(PartialEq)]
struct Real {
    count: u8,
    score: f64,
    list: Vec<u8>,
    map: BTreeMap<u8, f64>,
    set: HashSet<u8>,
    #[state(validate = |n: &Option<i8>| if n.is_none_or(|n| n >= 0) { Ok(()) } else { Err("negative".into()) })]
    maybe: Option<i8>,
}

#[data]
enum Op {
    Set(u8),
    Inc(u8),
    Dec(u8),
    Score(f64),
    IncScore(f64),
    Push(u8),
    Sort,
    Insert(u8, f64),
    Remove(u8),
    Add(u8),
    Drop(u8),
    Maybe(Option<i8>),
    IncMaybe(i8),
    Reset,
    Several { count: u8, item: u8, fail: bool },
}

/// What the state keeps: the number of each float, bit by bit.
type Shown = (u8, u64, Vec<u8>, Vec<(u8, u64)>, Vec<u8>, Option<i8>);

fn bits(n: f64) -> u64 {
    if n.is_nan() { f64::NAN.to_bits() } else { n.to_bits() }
}

fn shown(s: &Real) -> Shown {
    let mut set: Vec<_> = s.set.iter().copied().collect();
    set.sort_unstable();
    let map = s.map.iter().map(|(k, v)| (*k, bits(*v))).collect();
    (s.count, bits(s.score), s.list.clone(), map, set, s.maybe)
}

/// The operation on the plain struct; an error leaves it half done, and is thrown away with it.
fn plain(s: &mut Real, op: &Op) -> Result<(), &'static str> {
    const REFUSED: &str = "state_delta_refused";
    match op.clone() {
        Op::Set(n) => s.count = n,
        Op::Inc(n) => s.count = s.count.checked_add(n).ok_or(REFUSED)?,
        Op::Dec(n) => s.count = s.count.checked_sub(n).ok_or(REFUSED)?,
        Op::Score(n) => s.score = n,
        Op::IncScore(n) => s.score = Some(s.score + n).filter(|n| n.is_finite()).ok_or(REFUSED)?,
        Op::Push(n) => s.list.push(n),
        Op::Sort => s.list.sort_unstable(),
        Op::Insert(k, v) => drop(s.map.insert(k, v)),
        Op::Remove(k) => drop(s.map.remove(&k)),
        Op::Add(n) => drop(s.set.insert(n)),
        Op::Drop(n) => drop(s.set.remove(&n)),
        Op::Maybe(n) => s.maybe = n,
        Op::IncMaybe(n) => s.maybe = Some(s.maybe.unwrap_or(0).checked_add(n).ok_or(REFUSED)?),
        Op::Reset => *s = Real::default(),
        Op::Several { count, item, fail } => {
            s.count = count;
            s.list.push(item);
            s.set.remove(&item);
            if fail {
                return Err("on_purpose");
            }
        }
    }
    if s.maybe.is_some_and(|n| n < 0) { Err("state_rejected") } else { Ok(()) }
}

fn real(s: &Local<'_, Real>, op: &Op) -> Result<bool> {
    match op.clone() {
        Op::Set(n) => s.count.set(n),
        Op::Inc(n) => s.count.inc(n),
        Op::Dec(n) => s.count.dec(n),
        Op::Score(n) => s.score.set(n),
        Op::IncScore(n) => s.score.inc(n),
        Op::Push(n) => s.list.push(n),
        Op::Sort => s.list.update(|list| list.sort_unstable()),
        Op::Insert(k, v) => s.map.insert(k, v),
        Op::Remove(k) => s.map.remove(&k),
        Op::Add(n) => s.set.insert(n),
        Op::Drop(n) => s.set.remove(&n),
        Op::Maybe(n) => s.maybe.set(n),
        Op::IncMaybe(n) => s.maybe.inc(n),
        Op::Reset => s.set(Real::default()),
        Op::Several { count, item, fail } => {
            let before = s.version();
            s.try_modify(|s| {
                s.count = count;
                s.list.push(item);
                s.set.remove(&item);
                if fail { Err(Error::with_code("on_purpose", "no")) } else { Ok(()) }
            })?;
            Ok(s.version() != before)
        }
    }
}

fn floats() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        Just(f64::NAN),
        Just(f64::MAX),
        Just(f64::INFINITY)
    ]
}

fn ops() -> impl Strategy<Value = Op> {
    let small = || 0u8..4;
    prop_oneof![
        any::<u8>().prop_map(Op::Set),
        any::<u8>().prop_map(Op::Inc),
        small().prop_map(Op::Dec),
        floats().prop_map(Op::Score),
        floats().prop_map(Op::IncScore),
        small().prop_map(Op::Push),
        Just(Op::Sort),
        (small(), floats()).prop_map(|(k, v)| Op::Insert(k, v)),
        small().prop_map(Op::Remove),
        small().prop_map(Op::Add),
        small().prop_map(Op::Drop),
        any::<Option<i8>>().prop_map(Op::Maybe),
        any::<i8>().prop_map(Op::IncMaybe),
        Just(Op::Reset),
        (small(), small(), any::<bool>()).prop_map(|(count, item, fail)| Op::Several {
            count,
            item,
            fail
        }),
    ]
}

#[block(handler, state = Real)]
async fn compare(ops: Vec<Op>, ctx: Ctx) -> Result<()> {
    let (s, mut model, mut version) = (&ctx.self_, Real::default(), 0);
    for op in &ops {
        let mut next = model.clone();
        let expected = plain(&mut next, op).map(|()| shown(&next) != shown(&model));
        let found = real(s, op).map_err(|error| error.code().to_owned());
        assert_eq!(found, expected.map_err(ToOwned::to_owned), "{op:?} on {model:?}");
        if expected == Ok(true) {
            (model, version) = (next, version + 1);
        }
        assert_eq!((shown(&s.get()), s.version()), (shown(&model), version), "after {op:?}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_state_does_what_a_plain_struct_does(ops in prop::collection::vec(ops(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(flowstate::run(compare, ops)).unwrap();
    }
}
