//! What flowstate holds: `cargo bench -p flowstate-benches --bench memory`.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use flowstate::prelude::*;
use flowstate_benches::{ByHand, Memory, Plain, Tally, count, counted, leaf};
use parking_lot::Mutex;

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

/// The bytes that so many requests hold while they wait, each.
fn idle<F: Future>(requests: usize, start: impl Fn(u64) -> F) -> f64 {
    let mut all: Vec<Pin<Box<F>>> = Vec::with_capacity(requests);
    count();
    for i in 0..requests as u64 {
        let mut run = Box::pin(start(i));
        let polled = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending(), "it waits");
        all.push(run);
    }
    let memory = counted();
    memory.left as f64 / requests as f64
}

fn main() {
    let runtime = |threads: Option<usize>| {
        let mut builder = match threads {
            Some(threads) => {
                let mut builder = tokio::runtime::Builder::new_multi_thread();
                builder.worker_threads(threads);
                builder
            }
            None => tokio::runtime::Builder::new_current_thread(),
        };
        builder.build().expect("a runtime starts")
    };
    println!("for_each at 64: bytes held at most, over the bytes of the output");
    for (name, on) in [("one thread", runtime(None)), ("two threads", runtime(Some(2)))] {
        for items in [10_000_u64, 100_000, 1_000_000] {
            let work =
                || on.block_on(async { flowstate::run(each, items).await.expect("no item fails") });
            drop(work());
            count();
            let output = work();
            let Memory { peak, allocations, .. } = counted();
            assert_eq!(output.len() as u64, items);
            let ratio = peak as f64 / (items * 8) as f64;
            println!(
                "{name:<12} {items:>8} items {peak:>9} bytes {ratio:>6.3} x, {allocations} allocations"
            );
        }
    }
    println!("\na request of a sequencer that waits in its second step: bytes each");
    drop(runtime(None).block_on(flowstate::run(leaf, 1)));
    for requests in [1_000, 10_000, 100_000] {
        let ours = idle(requests, |i| flowstate::run(waiting, i));
        let floor = idle(requests, plain_waiting);
        println!("{requests:>8} requests {ours:>6.0}, by hand {floor:>4.0}");
    }
}
