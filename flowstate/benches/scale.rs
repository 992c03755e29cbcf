//! How flowstate grows: `cargo bench -p flowstate-benches --bench scale`; with `-- --write` into `docs/performance.md`.

use std::fmt::Write as _;
use std::future::{Future, pending};
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Instant;

use flowstate::prelude::*;
use flowstate_benches::{ByHand, Memory, Plain, Tally, count, counted, leaf, publish};
use parking_lot::Mutex;
use tokio::runtime::Runtime;

/// Goes through numbers that are nowhere kept, so that the output is all there is to hold.
#[block(sequencer)]
fn each(input: u64) -> Vec<u64> {
    input.for_each(|n| 0..n, leaf)
}

/// Waits for something that never comes.
#[block(handler, parent = Tally)]
async fn wait(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.parent.count.inc(1)?;
    pending::<()>().await;
    Ok(input)
}

#[block(sequencer, state = Tally)]
fn waiting(input: u64) -> u64 {
    input.step(leaf).step(wait)
}

async fn plain_wait(input: u64, state: &Mutex<Plain>) -> ByHand<u64> {
    state.lock().count += 1;
    pending::<()>().await;
    Ok(input)
}

async fn plain_waiting(input: u64) -> ByHand<u64> {
    let state = Arc::new(Mutex::new(Plain::default()));
    plain_wait(input + 1, &state).await
}

/// A service, so that an app looks through its actions' trees when it is built.
#[derive(Debug)]
struct Pool;

#[block(handler, needs = [Pool])]
async fn ask(input: u64, ctx: Ctx) -> Result<u64> {
    let _: &Pool = ctx.needs.pool;
    Ok(input)
}

/// A hundred sequencers, and what makes flows of them.
macro_rules! hundred {
    ($($name:ident)*) => {
        mod blocks {
            use super::*;
            $(
                #[block(sequencer)]
                pub(super) fn $name(input: u64) -> u64 {
                    input.step(leaf).step(ask)
                }
            )*
        }
    };
}
hundred! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
    e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1 h2 h3 h4 h5 h6 h7 h8 h9
    i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 j0 j1 j2 j3 j4 j5 j6 j7 j8 j9
}

macro_rules! flows {
    ($($flow:ident $kind:literal [$($name:ident)*];)*) => {
        $(
            flow! {
                #[flow(kind = $kind)]
                struct $flow {
                    $($name: blocks::$name,)*
                }
            }
        )*
    };
}
/// Flows of a hundred actions each.
macro_rules! flows_of_hundred {
    ($($flow:ident $kind:literal)*) => {
        flows! {
            $($flow $kind [
                a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9
                d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9
                g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9
                j0 j1 j2 j3 j4 j5 j6 j7 j8 j9
            ];)*
        }
    };
}
flows! { Ten "ten" [a0 a1 a2 a3 a4 a5 a6 a7 a8 a9]; }
flows_of_hundred! { A "a" B "b" C "c" D "d" E "e" F "f" G "g" H "h" I "i" J "j" }

fn app(actions: u64) -> App {
    let app = App::builder().provide(Pool);
    let app = match actions {
        10 => app.flow(Ten),
        100 => app.flow(A),
        _ => {
            let app = app.flow(A).flow(B).flow(C).flow(D).flow(E);
            app.flow(F).flow(G).flow(H).flow(I).flow(J)
        }
    };
    app.build().expect("nothing is missing")
}

/// The bytes that so many requests hold while they wait, each.
fn idle<F: Future>(requests: u64, start: impl Fn(u64) -> F) -> f64 {
    let mut all: Vec<Pin<Box<F>>> = Vec::with_capacity(usize::try_from(requests).unwrap_or(0));
    count();
    for i in 0..requests {
        let mut run = Box::pin(start(i));
        let polled = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending(), "it waits");
        all.push(run);
    }
    let memory = counted();
    memory.left as f64 / requests as f64
}

/// The least seconds that something takes, of several times.
fn seconds<T>(times: u32, work: impl Fn() -> T) -> f64 {
    let once = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..times).map(once).fold(f64::MAX, f64::min)
}

/// The exponent by which the last grows with the first: 1 is in step with it, 0 is not at all.
fn slope(points: &[(u64, f64)]) -> f64 {
    let (Some(&(x0, y0)), Some(&(x1, y1))) = (points.first(), points.last()) else { return 0.0 };
    (y1 / y0).ln() / (x1 as f64 / x0 as f64).ln()
}

fn for_each(table: &mut String, name: &str, on: &Runtime) -> std::fmt::Result {
    let (mut bytes, mut times) = (Vec::new(), Vec::new());
    for items in [10_000_u64, 100_000, 1_000_000] {
        let work =
            || on.block_on(async { flowstate::run(each, items).await.expect("no item fails") });
        let time = seconds(20, work);
        count();
        let output = work();
        let Memory { peak, allocations, .. } = counted();
        assert_eq!(output.len() as u64, items);
        let (over, ns) = (peak as f64 / (items * 8) as f64, time * 1e9 / items as f64);
        writeln!(table, "| {name}, {items} | {peak} | {over:.3} | {allocations} | {ns:.1} |")?;
        bytes.push((items, peak as f64));
        times.push((items, time));
    }
    let (bytes, times) = (slope(&bytes), slope(&times));
    writeln!(table, "| {name}, slope | {bytes:.2} | | | {times:.2} |")
}

fn table() -> Result<String, std::fmt::Error> {
    let one = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let two = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build();
    let two = two.expect("a runtime starts");
    let mut table = String::new();

    writeln!(
        table,
        "| `for_each(leaf)` at 64, items | bytes at most | over the output | allocations | ns an item |"
    )?;
    writeln!(table, "|---|---:|---:|---:|---:|")?;
    for_each(&mut table, "one thread", &one)?;
    for_each(&mut table, "two threads", &two)?;

    writeln!(table, "\n| requests that wait | bytes each | by hand | ns to begin one | by hand |")?;
    writeln!(table, "|---|---:|---:|---:|---:|")?;
    drop(one.block_on(flowstate::run(leaf, 1)));
    let mut points = [Vec::new(), Vec::new()];
    for requests in [1_000, 10_000, 100_000] {
        let ours = idle(requests, |i| flowstate::run(waiting, i));
        let floor = idle(requests, plain_waiting);
        let each = |time: f64| time * 1e9 / requests as f64;
        let time = seconds(5, || idle(requests, |i| flowstate::run(waiting, i)));
        let plain = seconds(5, || idle(requests, plain_waiting));
        let (ns, plain) = (each(time), each(plain));
        writeln!(table, "| {requests} | {ours:.0} | {floor:.0} | {ns:.0} | {plain:.0} |")?;
        points[0].push((requests, ours * requests as f64));
        points[1].push((requests, time));
    }
    let [bytes, times] = points.map(|points| slope(&points));
    writeln!(table, "| slope of all together | {bytes:.2} | | {times:.2} | |")?;

    writeln!(table, "\n| an app of so many actions | µs to build | bytes |")?;
    writeln!(table, "|---|---:|---:|")?;
    let mut points = Vec::new();
    for actions in [10, 100, 1_000] {
        let time = seconds(200, || app(actions));
        count();
        let built = app(actions);
        let bytes = counted().left;
        drop(built);
        let us = time * 1e6;
        writeln!(table, "| {actions} | {us:.2} | {bytes} |")?;
        points.push((actions, time));
    }
    writeln!(table, "| slope | {:.2} | |", slope(&points))?;
    Ok(table)
}

fn main() {
    publish("scale", &table().expect("a text takes all that is written"));
}
