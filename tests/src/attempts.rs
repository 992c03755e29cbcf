//! `retry` and `timeout` of a block, on the paused clock.

use std::future::pending;
use std::sync::Mutex;
use std::time::Duration;

use flowstate::prelude::*;
use tokio::time::{Instant, sleep};

use crate::live::Live;

#[state]
struct Note {
    n: u32,
    #[state(validate = small)]
    checked: u32,
}

fn small(n: &u32) -> Result<(), String> {
    if *n < 10 { Ok(()) } else { Err("too big".into()) }
}

#[derive(Debug, thiserror::Error)]
#[error("flaky")]
struct Flaky;

#[derive(Debug, thiserror::Error)]
#[error("wrapped")]
struct Wrapped(#[source] Flaky);

/// When each attempt began, in milliseconds.
struct Times(Instant, Mutex<Vec<u64>>);

impl Times {
    fn note(&self) -> usize {
        let mut all = self.1.lock().unwrap();
        all.push(u64::try_from(self.0.elapsed().as_millis()).unwrap());
        all.len()
    }
}

/// What a block gives, when its attempts began, and when it ended.
async fn timed<B: IntoBlock<Block: flowstate::Block<Input = u32, Output = O>>, O>(
    block: B,
    input: u32,
) -> (Result<O>, Vec<u64>, u64) {
    let begun = Instant::now();
    let times = std::sync::Arc::new(Times(begun, Mutex::default()));
    let app = App::builder().provide(times.clone()).provide(Live::default()).build().unwrap();
    let ended = app.run(block, input).await;
    let all = times.1.lock().unwrap().clone();
    (ended, all, u64::try_from(begun.elapsed().as_millis()).unwrap())
}

type Clock = std::sync::Arc<Times>;

#[tokio::test(start_paused = true)]
async fn attempts_wait_twice_as_long_each_time() {
    /// Succeeds at the attempt that its input says.
    #[block(handler, needs = [Clock], retry(max = 6, base = "1s", max_delay = "5s"))]
    async fn flaky(n: u32, ctx: Ctx) -> Result<usize> {
        let attempt = ctx.needs.clock.note();
        if attempt == n as usize { Ok(attempt) } else { Err(Flaky.into()) }
    }
    #[block(handler, needs = [Clock], retry(max = 2))]
    async fn defaults(_: u32, ctx: Ctx) -> Result<usize> {
        ctx.needs.clock.note();
        Err(Flaky.into())
    }
    #[block(handler, needs = [Clock], retry(max = 9, base = "4s"))]
    async fn default_cap(_: u32, ctx: Ctx) -> Result<usize> {
        ctx.needs.clock.note();
        Err(Flaky.into())
    }
    #[block(handler, needs = [Clock], retry(max = 1))]
    async fn once(_: u32, ctx: Ctx) -> Result<usize> {
        ctx.needs.clock.note();
        Err(Flaky.into())
    }
    let (ended, times, end) = timed(flaky, 1).await;
    assert_eq!((ended.unwrap(), times, end), (1, vec![0], 0));
    let (ended, times, end) = timed(flaky, 3).await;
    assert_eq!((ended.unwrap(), times, end), (3, vec![0, 1000, 3000], 3000));
    let (ended, times, end) = timed(flaky, 99).await;
    let error = ended.unwrap_err();
    assert!(error.is::<Flaky>());
    assert_eq!((error.code(), error.path()), ("block_failed", "flaky"));
    assert_eq!(
        (times, end),
        (vec![0, 1000, 3000, 7000, 12000, 17000], 17000),
        "no wait after the last"
    );
    assert_eq!(timed(defaults, 0).await.1, [0, 100]);
    assert_eq!(timed(default_cap, 0).await.1[..5], [0, 4000, 12000, 22000, 32000]);
    assert_eq!(timed(once, 0).await.1, [0]);
}

#[tokio::test(start_paused = true)]
async fn which_failures_are_tried_again() {
    #[block(handler, needs = [Clock], state = Note, retry(max = 3, base = "1s", on = [Flaky, std::num::ParseIntError]))]
    async fn listed(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.needs.clock.note();
        fail(n, ctx.self_.checked.set(70))
    }
    #[block(handler, needs = [Clock], state = Note, retry(max = 3, base = "1s"))]
    async fn any(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.needs.clock.note();
        fail(n, ctx.self_.checked.set(70))
    }
    #[block(handler, needs = [Clock], state = Note, retry(max = 3, base = "1s", on = Error))]
    async fn all(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.needs.clock.note();
        fail(n, ctx.self_.checked.set(70))
    }
    fn fail(n: u32, rejected: Result<bool>) -> Result<u32> {
        match n {
            0 => Err(Flaky.into()),
            1 => Err(Wrapped(Flaky).into()),
            2 => Ok("x".parse::<u32>()?),
            3 => Err(Error::msg("other")),
            4 => Err(Error::with_code("own", "own")),
            5 => panic!("no"),
            6 => rejected.map(|_| 0),
            7 => Err(Error::stop("suspended", "waiting")),
            8 => Err(Error::stop("cancelled", "stopped")),
            9 => Err(Error::stop("suspended", "waiting").with_retryable(true)),
            10 => Err(Error::with_code("no_branch", "none")),
            11 => Err(Error::with_code("loop_limit", "none")),
            _ => Err(Error::with_code("no_branch", "none").with_retryable(true)),
        }
    }
    let cases = [
        // listed, any, all
        (0, "block_failed", [3, 3, 3]),
        (1, "block_failed", [3, 3, 3]),
        (2, "block_failed", [3, 3, 3]),
        (3, "block_failed", [1, 3, 3]),
        (4, "own", [1, 3, 3]),
        (5, "block_panicked", [1, 3, 3]),
        (6, "state_rejected", [1, 1, 1]),
        (7, "suspended", [1, 1, 1]),
        (8, "cancelled", [1, 1, 1]),
        (9, "suspended", [1, 1, 1]),
        (10, "no_branch", [1, 1, 1]),
        (11, "loop_limit", [1, 1, 1]),
        (12, "no_branch", [1, 3, 3]),
    ];
    for (n, code, attempts) in cases {
        let runs = [timed(listed, n).await, timed(any, n).await, timed(all, n).await];
        for ((ended, times, _), attempts) in runs.into_iter().zip(attempts) {
            assert_eq!((ended.unwrap_err().code(), times.len()), (code, attempts), "{n}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_drops_the_attempt() {
    #[block(handler, needs = [Clock, Live], timeout = "2s", retry(max = 3, base = "1s"))]
    async fn slow(n: u32, ctx: Ctx) -> Result<usize> {
        assert_eq!(ctx.needs.live.alive(), 0, "the attempt before is gone");
        let _alive = ctx.needs.live.enter();
        let attempt = ctx.needs.clock.note();
        if attempt == n as usize {
            sleep(Duration::from_millis(1999)).await;
            return Ok(attempt);
        }
        pending().await
    }
    #[block(handler, needs = [Clock], timeout = "500ms")]
    async fn alone(_: u32, ctx: Ctx) -> Result<u32> {
        ctx.needs.clock.note();
        pending().await
    }
    #[block(sequencer, needs = [Live])]
    async fn looks(n: u32, ctx: Ctx) -> Result<usize> {
        let ended = ctx.step(slow, n).await;
        assert_eq!(ctx.needs.live.alive(), 0);
        ended
    }
    let (ended, times, end) = timed(looks, 2).await;
    assert_eq!((ended.unwrap(), times, end), (2, vec![0, 3000], 4999));
    let (ended, times, end) = timed(looks, 9).await;
    let error = ended.unwrap_err();
    assert_eq!((error.code(), error.path()), ("timeout", "looks > slow"));
    assert!(error.retryable());
    assert_eq!(error.to_string(), "the block took longer than 2s");
    let after = error.downcast_ref::<flowstate::error::TimeoutError>().unwrap().after();
    assert_eq!(after, Duration::from_secs(2));
    assert_eq!((times, end), (vec![0, 3000, 7000], 9000));
    let (ended, times, end) = timed(alone, 0).await;
    assert_eq!((ended.unwrap_err().code(), times.len(), end), ("timeout", 1, 500));
}

/// Timeout, then retry, then rescue.
#[tokio::test(start_paused = true)]
async fn a_rescue_comes_after_the_last_attempt() {
    #[block(handler, needs = [Clock], timeout = "2s", retry(max = 2, base = "1s"))]
    async fn slow(_: u32, ctx: Ctx) -> Result<String> {
        ctx.needs.clock.note();
        pending().await
    }
    #[block(handler, needs = [Clock])]
    async fn instead(error: Rescued, ctx: Ctx) -> Result<String> {
        ctx.needs.clock.note();
        Ok(format!("instead of {} in {}", error.code(), error.path()))
    }
    #[block(sequencer)]
    fn block_rescued(n: u32) -> String {
        n.step(slow.rescue_code("timeout", instead))
    }
    #[block(sequencer)]
    fn chain_rescued(n: u32) -> String {
        n.step(slow).rescue::<flowstate::error::TimeoutError>(instead)
    }
    let (ended, times, _) = timed(block_rescued, 0).await;
    assert_eq!(ended.unwrap(), "instead of timeout in block_rescued > slow");
    assert_eq!(times, [0, 3000, 5000]);
    let (ended, times, _) = timed(chain_rescued, 0).await;
    assert_eq!(ended.unwrap(), "instead of timeout in chain_rescued > slow");
    assert_eq!(times, [0, 3000, 5000]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_has_a_state_of_its_own_and_the_parents() {
    #[block(handler, state = Note, parent = Note, retry(max = 3))]
    async fn counts(n: u32, ctx: Ctx) -> Result<(u32, u32)> {
        ctx.self_.n.inc(1)?;
        ctx.parent.checked.inc(1)?;
        if ctx.parent.checked.get() < n {
            return Err(Flaky.into());
        }
        Ok((ctx.self_.n.get(), ctx.parent.checked.get()))
    }
    #[block(sequencer, state = Note)]
    fn outer(n: u32) -> (u32, u32) {
        n.step(counts)
    }
    #[block(sequencer, state = Note, retry(max = 3))]
    fn whole(n: u32) -> (u32, u32) {
        n.tap(|_, ctx| ctx.self_.n.inc(1)).step(counts)
    }
    assert_eq!(flowstate::run(outer, 3).await.unwrap(), (1, 3));
    // three attempts of the sequencer, three of the block in each; the sequencer's state is new each time
    assert!(flowstate::run(whole, 4).await.unwrap_err().is::<Flaky>());
    assert_eq!(flowstate::run(whole, 3).await.unwrap(), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn sequencers_have_attempts_too() {
    #[block(handler, needs = [Clock, Live])]
    async fn work(n: u32, ctx: Ctx) -> Result<u32> {
        let _alive = ctx.needs.live.enter();
        let attempt = ctx.needs.clock.note();
        match n {
            0 if attempt < 6 => Err(Flaky.into()),
            1 => pending().await,
            _ => Ok(n),
        }
    }
    #[block(sequencer, retry(max = 3, base = "1s"), timeout = "10s")]
    fn chain(n: u32) -> Vec<u32> {
        n.map(|n| vec![n, n]).for_each(work, max_concurrency = 2)
    }
    #[block(sequencer, needs = [Live], retry(max = 3, base = "1s"), timeout = "10s")]
    async fn written(n: u32, ctx: Ctx) -> Result<Vec<u32>> {
        assert_eq!(ctx.needs.live.alive(), 0);
        Ok(vec![ctx.step(work, n).await?, ctx.step(work, n).await?])
    }
    assert_eq!(timed(chain, 5).await.0.unwrap(), [5, 5]);
    assert_eq!(timed(written, 5).await.0.unwrap(), [5, 5]);
    let (ended, times, end) = timed(chain, 0).await;
    assert_eq!(ended.unwrap_err().path(), "chain > work[0]");
    assert_eq!((times, end), (vec![0, 1000, 3000], 3000));
    let (ended, times, end) = timed(chain, 1).await;
    let error = ended.unwrap_err();
    assert_eq!((error.code(), error.path()), ("timeout", "chain"));
    assert_eq!((times, end), (vec![0, 0, 11_000, 11_000, 23_000, 23_000], 33_000));
    let (ended, times, end) = timed(written, 1).await;
    assert_eq!(ended.unwrap_err().code(), "timeout");
    assert_eq!((times, end), (vec![0, 11_000, 23_000], 33_000));
}

/// The attempts are of the block wherever it runs: at the root, for items, in the loser of a race.
#[tokio::test(start_paused = true)]
async fn attempts_wherever_a_block_runs() {
    #[block(handler, needs = [Clock], retry(max = 2, base = "1s"))]
    async fn flaky(_: u32, ctx: Ctx) -> Result<u32> {
        ctx.needs.clock.note();
        Err(Flaky.into())
    }
    #[block(handler)]
    async fn good(n: u32) -> Result<u32> {
        sleep(Duration::from_millis(500)).await;
        Ok(n)
    }
    #[block(sequencer)]
    fn raced(n: u32) -> u32 {
        n.race([flaky, good])
    }
    #[block(sequencer)]
    fn any(n: u32) -> u32 {
        n.step_any([flaky, good])
    }
    let (ended, times, end) = timed(raced, 1).await;
    assert_eq!(
        (ended.unwrap(), times, end),
        (1, vec![0], 500),
        "the wait is dropped with the loser"
    );
    let (ended, times, end) = timed(any, 1).await;
    assert_eq!((ended.unwrap(), times, end), (1, vec![0, 1000], 1500));
}
