//! Many writers of one container: nothing is lost, and nobody sees half a write.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};

use flowstate::prelude::*;
use tokio::sync::Barrier;

#[state]
struct Tally {
    count: u32,
    twice: u32,
    list: Vec<u32>,
}

/// Writes in every way that there is, each once.
#[block(handler, parent = Tally)]
async fn write(item: u32, ctx: Ctx) -> Result<()> {
    let tally = &ctx.parent;
    tally.count.inc(1)?;
    tokio::task::yield_now().await;
    tally.count.update(|count| *count += 1)?;
    tally.update(|tally| {
        tally.count += 1;
        tally.twice = 2 * tally.count;
    })?;
    tokio::task::yield_now().await;
    tally.list.push(item)?;
    Ok(())
}

#[block(sequencer, state = Tally)]
fn fan_out(input: u32) -> Tally {
    input
        .map(|n| (0..n).collect::<Vec<_>>())
        .for_each(write, max_concurrency = 100)
        .map(|_, ctx| ctx.self_.get())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_writers_in_a_fan_out_lose_nothing() {
    let mut tally = flowstate::run(fan_out, 100).await.unwrap();
    tally.list.sort_unstable();
    assert_eq!((tally.count, tally.list), (300, (0..100).collect()));
}

/// All requests of one test: they start together.
struct Start(Barrier);

#[block(handler, session = Tally, needs = [Start])]
async fn write_session(item: u32, ctx: Ctx) -> Result<()> {
    ctx.needs.start.0.wait().await;
    let tally = &ctx.session;
    assert!(tally.count.inc(1).await?);
    tally.count.update(|count| *count += 1).await?;
    let (count, twice) = tally
        .modify(|s| {
            s.count += 1;
            s.twice = 2 * s.count;
            (s.count, s.twice)
        })
        .await?;
    assert_eq!(twice, 2 * count);
    assert!(tally.list.push(item).await?);
    assert!(tally.list.get().contains(&item), "a request sees its own writes");
    Ok(())
}

#[block(handler, session = Tally)]
async fn read_session(_: (), ctx: Ctx) -> Result<Tally> {
    Ok(ctx.session.get())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_requests_of_one_session_lose_nothing() {
    let app = App::builder().provide(Start(Barrier::new(100))).build().unwrap();
    let request = || app.request().session("one");
    let tasks: Vec<_> = (0..100).map(|i| tokio::spawn(request().run(write_session, i))).collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let mut tally = request().run(read_session, ()).await.unwrap();
    tally.list.sort_unstable();
    assert_eq!((tally.count, tally.list), (300, (0..100).collect()));
}

/// Spawns tasks that hold the sequencer's own container by way of its blocks.
#[block(sequencer, state = Tally, steps = [write])]
async fn joined(_: (), ctx: Ctx) -> Result<u32> {
    let both = tokio::try_join!(ctx.step(write, 0), ctx.step(write, 1), helper(&ctx));
    both?;
    Ok(ctx.self_.count.get())
}

async fn helper(ctx: &Ctx<'_, joined>) -> Result<()> {
    ctx.step(write, 2).await
}

#[tokio::test]
async fn steps_of_one_sequencer_may_run_together() {
    assert_eq!(flowstate::run(joined, ()).await.unwrap(), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_never_see_half_an_update() {
    const WRITERS: u32 = 4;
    struct Shared {
        done: AtomicBool,
        left: AtomicU32,
    }

    #[block(handler, sequencer = Tally, needs = [Shared])]
    async fn work(lane: u32, ctx: Ctx) -> Result<u32> {
        let (tally, shared) = (&ctx.sequencer, ctx.needs.shared);
        let mut reads = 0;
        if lane < WRITERS {
            for _ in 0..200 {
                tally.update(|s| {
                    s.count += 1;
                    std::thread::yield_now();
                    s.twice = 2 * s.count;
                })?;
                tokio::task::yield_now().await;
            }
            if shared.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                shared.done.store(true, Ordering::Release);
            }
        } else {
            while !shared.done.load(Ordering::Acquire) {
                let seen = tally.get();
                assert_eq!(seen.twice, 2 * seen.count);
                tally.with(|seen| assert_eq!(seen.twice, 2 * seen.count));
                reads += 1;
                tokio::task::yield_now().await;
            }
        }
        Ok(reads)
    }

    #[block(sequencer, state = Tally)]
    fn crowd(input: u32) -> u32 {
        input.map(|n| (0..n).collect::<Vec<_>>()).for_each(work).map(|_, ctx| ctx.self_.count.get())
    }

    let shared = Shared { done: AtomicBool::new(false), left: AtomicU32::new(WRITERS) };
    let app = App::builder().provide(shared).build().unwrap();
    assert_eq!(app.run(crowd, 8).await.unwrap(), 800);
}

#[tokio::test]
async fn writers_on_threads_wait_for_an_update_and_lose_nothing() {
    #[block(handler, state = Tally)]
    async fn threads(_: (), ctx: Ctx) -> Result<u32> {
        let tally = &ctx.self_;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        tally.count.inc(1).unwrap();
                        tally
                            .count
                            .update(|count| {
                                *count += 1;
                                std::thread::yield_now();
                            })
                            .unwrap();
                    }
                });
            }
        });
        Ok(tally.count.get())
    }
    assert_eq!(flowstate::run(threads, ()).await.unwrap(), 800);
}

/// Polls a write that is ready at once.
fn now<T>(write: impl Future<Output = T>) -> T {
    match pin!(write).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a write in memory is ready at once"),
    }
}

#[tokio::test]
async fn a_request_sees_its_own_writes_whichever_thread_made_them() {
    #[block(handler, session = Tally)]
    async fn threads(_: (), ctx: Ctx) -> Result<u32> {
        let tally = &ctx.session;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let written = now(tally.count.modify(|count| {
                            *count += 1;
                            *count
                        }));
                        assert!(tally.count.get() >= written.unwrap());
                        assert!(now(tally.twice.inc(1)).unwrap());
                    }
                });
            }
        });
        Ok(tally.count.get() + tally.twice.get())
    }
    assert_eq!(flowstate::run(threads, ()).await.unwrap(), 1600);
}

#[tokio::test]
async fn a_stored_write_inside_an_update_is_refused_at_once() {
    #[block(handler, session = Tally)]
    async fn nested(_: (), ctx: Ctx) -> Result<(u32, Vec<String>)> {
        let (tally, mut codes) = (&ctx.session, Vec::new());
        let code = |write: Result<bool>| write.unwrap_err().code().to_owned();
        // (the functions borrow what is the block's own)
        tally
            .update(|s| {
                s.count += 1;
                codes.push(code(now(tally.count.inc(1))));
                codes.push(code(now(tally.set(Tally::default()))));
            })
            .await?;
        tally
            .count
            .update(|count| {
                *count += 1;
                codes.push(code(now(tally.twice.set(1))));
                codes.push(code(now(tally.update(|_| {}))));
            })
            .await?;
        let known = codes.len();
        let len = tally.modify(|s| s.count as usize + codes.len()).await?
            + tally.count.modify(|n| *n as usize + known).await?;
        assert_eq!(len, 12);
        Ok((tally.count.get(), codes))
    }
    let (count, codes) = flowstate::run(nested, ()).await.unwrap();
    assert_eq!((count, codes), (2, vec!["state_reentrant".to_string(); 4]));
}

#[tokio::test]
async fn a_request_reads_what_it_last_saw() {
    /// Lets two requests take turns.
    struct Turn(Barrier);
    #[block(handler, session = Tally, needs = [Turn])]
    async fn slow(_: (), ctx: Ctx) -> Result<Vec<u32>> {
        let (count, turn) = (ctx.session.count, &ctx.needs.turn.0);
        let mut seen = vec![count.get()];
        turn.wait().await;
        turn.wait().await;
        seen.push(count.get());
        count.inc(1).await?;
        seen.push(count.get());
        Ok(seen)
    }
    #[block(handler, session = Tally, needs = [Turn])]
    async fn quick(_: (), ctx: Ctx) -> Result<()> {
        ctx.needs.turn.0.wait().await;
        ctx.session.count.inc(10).await?;
        ctx.needs.turn.0.wait().await;
        Ok(())
    }
    let app = App::builder().provide(Turn(Barrier::new(2))).build().unwrap();
    let request = || app.request().session("s");
    let (seen, quick) = tokio::join!(request().run(slow, ()), request().run(quick, ()));
    quick.unwrap();
    assert_eq!(seen.unwrap(), [0, 0, 11]);
}

#[tokio::test]
async fn items_of_one_request_share_its_view_of_the_session() {
    #[block(handler, session = Tally)]
    async fn add(n: u32, ctx: Ctx) -> Result<bool> {
        tokio::task::yield_now().await;
        ctx.session.count.inc(n).await?;
        tokio::task::yield_now().await;
        ctx.session.count.update(|count| *count += n).await
    }
    #[block(sequencer, session = Tally)]
    fn all(items: Vec<u32>) -> u32 {
        items.for_each(add).map(|_, ctx| ctx.session.count.get())
    }
    assert_eq!(flowstate::run(all, vec![1; 100]).await.unwrap(), 200);
}

#[tokio::test]
async fn items_run_together_up_to_the_limit_and_in_no_greater_number() {
    #[derive(Default)]
    struct Gauge {
        now: AtomicU32,
        most: AtomicU32,
    }
    #[block(handler, needs = [Arc<Gauge>])]
    async fn measured(item: u32, ctx: Ctx) -> Result<u32> {
        let gauge = ctx.needs.arc;
        gauge.most.fetch_max(gauge.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        for _ in 0..item % 7 {
            tokio::task::yield_now().await;
        }
        gauge.now.fetch_sub(1, Ordering::SeqCst);
        Ok(item)
    }
    macro_rules! most {
        ($($options:tt)*) => {{
            #[block(sequencer)]
            fn all(input: Vec<u32>) -> Vec<u32> {
                input.for_each(measured $($options)*)
            }
            let gauge = Arc::new(Gauge::default());
            let app = App::builder().provide(gauge.clone()).build().unwrap();
            let items: Vec<u32> = (0..200).collect();
            assert_eq!(app.run(all, items.clone()).await.unwrap(), items, "the order is kept");
            gauge.most.load(Ordering::SeqCst)
        }};
    }
    assert_eq!(most!(, max_concurrency = 1), 1);
    assert!((2..=5).contains(&most!(, max_concurrency = 5)));
    assert!((2..=64).contains(&most!()));
}

#[state]
struct Left {
    count: u32,
}

#[state]
struct Right {
    total: u32,
}

/// Two threads, each inside an update of one container, write to the other's: one of them is refused, none waits forever.
#[block(handler, state = [Left, Right])]
fn crossing(_: (), ctx: Ctx) -> Result<(bool, bool)> {
    let (both, left) = (std::sync::Barrier::new(2), &ctx.self_);
    let right: &Local<'_, Right> = &ctx.self_;
    let refused = |done: Result<bool>| done.is_err_and(|error| error.code() == "state_reentrant");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut inner = None;
            right.update(|_| {
                both.wait();
                inner = Some(left.count.inc(1));
            })?;
            Ok::<_, Error>(inner.is_some_and(refused))
        });
        let mut inner = None;
        left.update(|_| {
            both.wait();
            inner = Some(right.total.inc(1));
        })?;
        let other = other.join().map_err(|_| Error::msg("the other thread panicked"))??;
        Ok((inner.is_some_and(refused), other))
    })
}

#[tokio::test]
async fn two_containers_in_each_others_update() {
    let (one, other) = flowstate::run(crossing, ()).await.unwrap();
    assert!(one ^ other, "just one of the two gives way");
}
