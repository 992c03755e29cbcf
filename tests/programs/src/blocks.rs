pub(crate) use std::pin::Pin;

pub(crate) use flowstate::prelude::*;

pub(crate) use crate::interpret::parts;

/// A program that was started.
pub(crate) type Run = fn(i64) -> Pin<Box<dyn Future<Output = Result<Seen>> + Send>>;

/// What came of a program.
#[data]
#[derive(PartialEq)]
pub(crate) struct Seen {
    pub(crate) value: Option<i64>,
    pub(crate) code: String,
    pub(crate) path: String,
    pub(crate) block: String,
    pub(crate) count: i64,
    pub(crate) log: Vec<i64>,
}

impl Seen {
    pub(crate) fn new(result: Result<i64>, state: Trail) -> Self {
        let Trail { count, log } = state;
        let error = result.as_ref().err();
        Self {
            code: error.map(|error| error.code().to_owned()).unwrap_or_default(),
            path: error.map(|error| error.path().to_owned()).unwrap_or_default(),
            block: error.and_then(Error::block).unwrap_or_default().to_owned(),
            value: result.ok(),
            count,
            log,
        }
    }
}

#[state]
pub(crate) struct Trail {
    pub(crate) count: i64,
    pub(crate) log: Vec<i64>,
}

#[data]
pub(crate) struct Pair {
    pub(crate) left: i64,
    pub(crate) right: i64,
}

pub(crate) fn folded(all: Vec<i64>) -> i64 {
    crate::interpret::folded(&all)
}

pub(crate) fn coded(code: &'static str) -> Error {
    Error::with_code(code, "as planned")
}

#[block(handler)]
pub(crate) async fn add_one(v: i64) -> Result<i64> {
    Ok(v.wrapping_add(1))
}

#[block(handler)]
pub(crate) fn add_seven(v: &i64) -> Result<i64> {
    Ok(v.wrapping_add(7))
}

#[block(handler)]
pub(crate) async fn twice(v: i64, _ctx: Ctx) -> Result<i64> {
    Ok(v.wrapping_mul(2))
}

#[block(handler)]
pub(crate) fn negate(v: i64) -> Result<i64, String> {
    Ok(v.wrapping_neg())
}

#[block(handler)]
pub(crate) async fn half(v: i64) -> Result<i64> {
    Ok(v / 2)
}

#[block(handler)]
pub(crate) async fn yields(v: i64) -> Result<i64> {
    tokio::task::yield_now().await;
    Ok(v ^ 5)
}

#[block(handler)]
pub(crate) async fn odd_fails(v: i64) -> Result<i64> {
    if v % 2 == 0 { Ok(v) } else { Err(coded("odd")) }
}

#[block(handler)]
pub(crate) async fn third_fails(v: i64) -> Result<i64, std::fmt::Error> {
    tokio::task::yield_now().await;
    if v % 3 == 0 { Err(std::fmt::Error) } else { Ok(v) }
}

#[block(handler)]
pub(crate) async fn never_works(_: i64) -> Result<i64> {
    Err(coded("never"))
}

#[block(handler)]
pub(crate) async fn seventh_panics(v: i64) -> Result<i64> {
    assert!(v.rem_euclid(7) != 0, "as planned");
    Ok(v)
}

fn only(v: i64, rest: i64) -> Result<i64> {
    if v.rem_euclid(3) == rest { Ok(v.wrapping_add(rest)) } else { Err(coded("rest")) }
}

#[block(handler)]
pub(crate) async fn only_rest_0(v: i64) -> Result<i64> {
    only(v, 0)
}

#[block(handler)]
pub(crate) async fn only_rest_1(v: i64) -> Result<i64> {
    tokio::task::yield_now().await;
    only(v, 1)
}

#[block(handler)]
pub(crate) fn only_rest_2(v: i64) -> Result<i64> {
    only(v, 2)
}

#[block(handler, state = Trail)]
pub(crate) async fn own(v: i64, ctx: Ctx) -> Result<i64> {
    ctx.self_.count.inc(1)?;
    Ok(v.wrapping_add(ctx.self_.count.get()))
}

fn note(trail: &Local<'_, Trail>, v: i64, by: i64) -> Result<bool> {
    trail.update(|trail| {
        trail.count += by;
        trail.log.push(v);
    })
}

#[block(handler, parent = Trail)]
pub(crate) async fn to_parent(v: i64, ctx: Ctx) -> Result<i64> {
    note(&ctx.parent, v, 1)?;
    Ok(v)
}

#[block(handler, parent = Option<Trail>)]
pub(crate) async fn to_parent_if_any(v: i64, ctx: &Ctx) -> Result<i64> {
    let Some(parent) = &ctx.parent else { return Ok(v) };
    note(parent, v, 2)?;
    Ok(v.wrapping_add(1))
}

#[block(handler, sequencer = Trail)]
pub(crate) async fn to_sequencer(v: i64, ctx: Ctx) -> Result<i64> {
    tokio::task::yield_now().await;
    ctx.sequencer.count.inc(3)?;
    ctx.sequencer.log.push(v)?;
    Ok(v)
}

#[block(handler, targets(root = Trail))]
pub(crate) async fn to_root(v: i64, ctx: Ctx) -> Result<i64> {
    ctx.targets.root.count.inc(1)?;
    Ok(v)
}
