//! Each method of a chain: its value, its effect, and what ends it.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use flowstate::prelude::*;

#[state]
struct Trail {
    seen: Vec<String>,
}

#[block(handler)]
async fn inc(n: i64) -> Result<i64> {
    Ok(n + 1)
}

#[block(handler)]
async fn double(n: i64) -> Result<i64> {
    Ok(n * 2)
}

#[block(handler)]
async fn shout(text: String) -> Result<String> {
    Ok(format!("{text}!"))
}

#[block(handler)]
async fn boom(_: i64) -> Result<i64> {
    Err(Error::msg("boom"))
}

/// Leaves a mark on its sequencer.
#[block(handler, sequencer = Trail)]
async fn mark(n: i64, ctx: Ctx) -> Result<i64> {
    ctx.sequencer.seen.push(n.to_string())?;
    Ok(n)
}

/// A chain, run with each input: `value` or `value; marks`.
macro_rules! chain {
    ($name:ident($input:ty) -> $output:ty, [$($chain:tt)*], $($value:expr => $expected:expr),* $(,)?) => {
        #[tokio::test]
        async fn $name() {
            #[block(sequencer, state = Trail)]
            fn under_test(input: $input) -> ($output, Vec<String>) {
                input $($chain)* .map(|value, ctx| (value, ctx.self_.seen.get()))
            }
            $({
                let (value, seen) = flowstate::run(under_test, $value).await.unwrap();
                assert_eq!((value, seen.join(" ").as_str()), $expected, "{}", stringify!($value));
            })*
        }
    };
}

fn small(n: &i64) -> bool {
    *n < 10
}

fn minus_one(n: i64) -> i64 {
    n - 1
}

fn text(n: i64) -> String {
    n.to_string()
}

fn checked(n: i64) -> Result<u8, std::num::TryFromIntError> {
    n.try_into()
}

chain!(steps(i64) -> i64, [.step(inc).step(double)], 1 => (4, ""), -1 => (0, ""));
chain!(step_with_connector(i64) -> String, [
    .step(|n| n.to_string(), shout)
    .step(|text, ctx| { ctx.self_.seen.push("sync".into()).unwrap(); format!("{text}?") }, shout)
    .step(async |text, ctx| {
        ctx.self_.seen.push("async".into()).unwrap();
        tokio::task::yield_now().await;
        format!("({text})")
    }, shout)
], 1 => ("(1!?!)!".to_string(), "sync async"));
chain!(step_with_named_connector(i64) -> String, [.step(text, shout)], 1 => ("1!".to_string(), ""));
chain!(step_if(i64) -> i64, [.step_if(|n| *n > 5, double).step_if(small, inc)], 1 => (2, ""), 6 => (12, ""));
chain!(step_if_with_connector(i64) -> i64, [
    .step_if(|n| *n > 5, |n| n + 100, double).step_if(small, minus_one, inc)
], 1 => (1, ""), 6 => (212, ""));
chain!(step_if_connector_changes_the_type(String) -> i64, [
    .map(|text| text.len() as i64).step_if(|n| *n == 3, |n| n.to_string(), length)
], "abc".to_string() => (1, ""), "ab".to_string() => (2, ""));
chain!(map(i64) -> String, [
    .map(|n| n + 1).map(|n, ctx| n + ctx.self_.seen.get().len() as i64).map(minus_one)
    .map(async |n| { tokio::task::yield_now().await; n * 10 })
    .map(async |n, ctx| { ctx.self_.seen.push("x".into()).unwrap(); n })
    .map(text)
], 1 => ("10".to_string(), "x"));
chain!(try_map(i64) -> u8, [
    .try_map(|n| Ok(n + 1)).try_map(|n, ctx| { ctx.self_.seen.push("x".into())?; Ok(n) })
    .try_map(async |n| { tokio::task::yield_now().await; Ok::<_, Error>(n) })
    .try_map(async |n, _ctx| -> Result<i64> { Ok(n) })
    .try_map(checked)
], 1 => (2, "x"));
chain!(taps(i64) -> i64, [
    .tap(|n, ctx| ctx.self_.seen.push(format!("a{n}")))
    .tap(|n, ctx| { ctx.self_.seen.push(format!("b{n}")).unwrap(); })
    .tap(async |n, ctx| ctx.self_.seen.push(format!("c{n}")))
    .tap(async |_n| tokio::task::yield_now().await)
    .tap(|_| ())
    .tap(mark).tap(double).tap(|n| n * 100, mark).tap(|n| n.to_string(), shout)
], 1 => (1, "a1 b1 c1 1 100"));
chain!(tap_if(i64) -> i64, [
    .tap_if(|n| *n == 1, mark).tap_if(small, |n, ctx| ctx.self_.seen.push(format!("small{n}")))
    .tap_if(|_, ctx| ctx.self_.seen.get().is_empty(), |n| n + 1, mark).tap_if(|n| *n == 7, boom)
], 1 => (1, "1 small1"), 20 => (20, "21"));
chain!(for_each(Vec<i64>) -> Vec<i64>, [.for_each(double)], vec![1, 2, 3] => (vec![2, 4, 6], ""), vec![] => (vec![], ""));
chain!(for_each_of_any_iterable(i64) -> Vec<i64>, [
    .map(|n| std::collections::BTreeSet::from([3, n, 2])).for_each(double).map(|list| list.into_iter().map(Some).collect())
    .map(|list: std::collections::VecDeque<Option<i64>>| list)
    .for_each(|list| list.into_iter().flatten(), inc)
], 1 => (vec![3, 5, 7], ""));
chain!(for_each_with_connector(i64) -> Vec<i64>, [
    .for_each(|n, ctx| { ctx.self_.seen.push("once".into()).unwrap(); 0..n }, mark, max_concurrency = 1)
    .for_each(async |list| list, inc)
], 3 => (vec![1, 2, 3], "once 0 1 2"), 0 => (vec![], "once"));
chain!(for_each_with_a_computed_limit(Vec<i64>) -> Vec<i64>, [
    .for_each(inc, max_concurrency = usize::MAX.min(3))
], (0..10).collect::<Vec<_>>() => ((1..11).collect::<Vec<_>>(), ""));
chain!(loop_while(i64) -> i64, [
    .step(mark).step(inc).loop_back(mark, when = |n| *n < 3, max_iterations = 10)
], 0 => (3, "0 1 2"), 5 => (6, "5"));
chain!(loop_condition_by_path_and_ctx(i64) -> i64, [
    .step(mark).step(double).loop_back(mark, when = small, max_iterations = 10)
    .step(inc).loop_back(inc, when = |_, ctx| ctx.self_.seen.get().len() == 99, max_iterations = 1)
], 1 => (17, "1 2 4 8"));
chain!(loop_until_the_limit(i64) -> i64, [.step(mark).step(inc).loop_back(mark, max_iterations = 3)], 0 => (4, "0 1 2 3"));
chain!(loop_not_at_all(i64) -> i64, [.step(inc).loop_back(inc, max_iterations = 0)], 0 => (1, ""));
chain!(loop_to_the_last_of_two(i64) -> i64, [
    .step(inc).step(double).step(inc).tap(mark).loop_back(inc, max_iterations = 2)
], 1 => (7, "5 6 7"));
chain!(loops_apart(i64) -> i64, [
    .step(inc).loop_back(inc, max_iterations = 2).step(double).loop_back(double, max_iterations = 3)
], 0 => (48, ""));
chain!(loops_nested(i64) -> i64, [
    .tap(mark).step(double).step(inc).tap(mark).loop_back(inc, max_iterations = 1).loop_back(double, max_iterations = 2)
], 0 => (14, "0 1 2 5 6 13 14"));
chain!(loops_nested_at_one_step(i64) -> i64, [
    .step(inc).loop_back(inc, max_iterations = 1).step(mark).loop_back(inc, max_iterations = 2)
], 0 => (6, "2 4 6"));
chain!(loop_back_to_for_each_and_connector(i64) -> i64, [
    .step(|n| n + 10, inc).loop_back(inc, max_iterations = 1)
    .for_each(|n| vec![n, n], mark, max_concurrency = 1).map(|list| list.iter().sum())
    .loop_back(mark, max_iterations = 1)
], 0 => (88, "22 22 44 44"));
chain!(loop_back_to_a_step_that_is_skipped(i64) -> i64, [
    .step_if(|n| *n < 2, inc).tap(mark).loop_back(inc, max_iterations = 3)
], 0 => (2, "1 2 2 2"));

#[block(handler)]
async fn length(text: String) -> Result<i64> {
    Ok(text.len() as i64)
}

#[block(sequencer)]
fn early(n: i64) -> i64 {
    n.step(double).exit_if(|n| *n > 5).step(boom)
}

#[block(sequencer)]
fn early_in_a_loop(n: i64) -> i64 {
    n.step(inc)
        .exit_if(|n| *n == 7)
        .loop_back(inc, when = |n| *n < 100, max_iterations = 100)
        .step(boom)
}

#[block(sequencer)]
fn early_in_an_inner_loop(n: i64) -> i64 {
    n.step(double)
        .step(inc)
        .exit_if(|n, ctx| *n == 13 && ctx.block() == "early_in_an_inner_loop")
        .loop_back(inc, max_iterations = 1)
        .loop_back(double, max_iterations = 9)
        .step(boom)
}

#[block(sequencer)]
fn around(n: i64) -> i64 {
    n.step(early).step(inc)
}

#[tokio::test]
async fn exits_end_their_own_sequencer() {
    assert_eq!(flowstate::run(early, 3).await.unwrap(), 6);
    assert_eq!(flowstate::run(around, 3).await.unwrap(), 7);
    assert_eq!(flowstate::run(early, 2).await.unwrap_err().path(), "early > boom");
    assert_eq!(flowstate::run(early_in_a_loop, 0).await.unwrap(), 7);
    assert_eq!(flowstate::run(early_in_an_inner_loop, 2).await.unwrap(), 13);
}

/// An error at this place ends the chain: what is after it does not run.
macro_rules! ends {
    ($($name:ident: [$($chain:tt)*];)*) => {$(
        #[tokio::test]
        async fn $name() {
            #[block(sequencer, request = Trail)]
            fn under_test(input: i64) -> i64 {
                input $($chain)* .tap(|_, ctx| ctx.request.seen.push("after".into())).step(unreachable)
            }
            #[block(handler)]
            async fn unreachable(_: i64) -> Result<i64> {
                panic!("the chain went on")
            }
            let error = flowstate::run(under_test, 1).await.unwrap_err();
            assert_eq!(error.to_string(), "boom");
        }
    )*};
}
ends! {
    an_error_of_a_step: [.step(boom)];
    an_error_of_a_step_if: [.step_if(|_| true, boom)];
    an_error_of_a_tap: [.tap(boom)];
    an_error_of_a_tap_if: [.tap_if(|_| true, boom)];
    an_error_of_a_tap_function: [.tap(|_| Err::<(), _>(Error::msg("boom")))];
    an_error_of_an_async_tap_function: [.tap(async |_| Err::<(), _>(Error::msg("boom")))];
    an_error_of_a_try_map: [.try_map(|_| Err(Error::msg("boom"))).map(|n: i64| n)];
    an_error_of_an_async_try_map: [.try_map(async |_| Err::<i64, _>(Error::msg("boom")))];
    an_error_of_an_item: [.for_each(|n| vec![n], boom).map(|list| list[0])];
    an_error_in_a_loop: [.step(boom).loop_back(boom, max_iterations = 3)];
    an_error_of_an_inner_sequencer: [.step(around).step(early)];
}

#[tokio::test(start_paused = true)]
async fn the_first_error_of_a_fan_out_ends_it() {
    /// Counts those that began and those that are gone.
    #[derive(Default)]
    struct Counts {
        begun: AtomicU32,
        dropped: AtomicU32,
    }
    struct Guard<'a>(&'a AtomicU32);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    #[block(handler, needs = [Arc<Counts>])]
    async fn third_fails(n: i64, ctx: Ctx) -> Result<i64> {
        let counts = ctx.needs.arc;
        counts.begun.fetch_add(1, Ordering::SeqCst);
        let _guard = Guard(&counts.dropped);
        tokio::time::sleep(Duration::from_secs(1)).await;
        if n == 2 { Err(Error::msg("boom")) } else { pending().await }
    }
    #[block(sequencer, needs = [Arc<Counts>])]
    async fn looks(items: Vec<i64>, ctx: Ctx) -> Result<(u32, u32)> {
        let error = ctx.step(all, items).await.unwrap_err();
        assert_eq!(error.path(), "looks > all > third_fails[2]");
        let counts = ctx.needs.arc;
        Ok((counts.begun.load(Ordering::SeqCst), counts.dropped.load(Ordering::SeqCst)))
    }
    #[block(sequencer)]
    fn all(items: Vec<i64>) -> Vec<i64> {
        items.for_each(third_fails, max_concurrency = 4)
    }
    let app = App::builder().provide(Arc::new(Counts::default())).build().unwrap();
    assert_eq!(app.run(looks, (0..50).collect()).await.unwrap(), (4, 4));
}

#[tokio::test(start_paused = true)]
async fn outputs_keep_the_order_of_the_items() {
    #[block(handler)]
    async fn later_ones_first(n: u64) -> Result<u64> {
        tokio::time::sleep(Duration::from_secs(100 - n)).await;
        Ok(n)
    }
    #[block(sequencer)]
    fn all(items: Vec<u64>) -> Vec<u64> {
        items.for_each(later_ones_first)
    }
    let items: Vec<u64> = (0..100).collect();
    assert_eq!(flowstate::run(all, items.clone()).await.unwrap(), items);
}

#[tokio::test]
async fn a_sequencer_is_a_step_like_any_other() {
    #[block(sequencer)]
    async fn straight(n: i64, ctx: Ctx) -> Result<i64> {
        let mut n = n;
        while n < 10 {
            n = ctx.step(twice, n).await?;
        }
        match ctx.step(early, n).await {
            Ok(n) if n > 100 => Ok(n),
            Ok(n) => ctx.step(inc, n).await,
            Err(_) => Ok(-1),
        }
    }
    #[block(sequencer)]
    fn twice(n: i64) -> i64 {
        n.step(double).step(inc)
    }
    #[block(sequencer)]
    fn all(n: i64) -> Vec<i64> {
        n.step(straight).for_each(|n| vec![n, n + 1], straight)
    }
    assert_eq!(flowstate::run(straight, 1).await.unwrap(), 31);
    assert_eq!(flowstate::run(all, 1).await.unwrap(), [63, 65]);
    assert_eq!(flowstate::run(straight, 60).await.unwrap(), 120);
}

/// Calls in macros, in one another, in closures, and side by side; the one that loses is dropped.
#[tokio::test(start_paused = true)]
async fn steps_among_ordinary_rust() {
    #[block(handler)]
    async fn slow(n: i64) -> Result<i64> {
        tokio::time::sleep(Duration::from_secs(n.unsigned_abs())).await;
        Ok(n)
    }
    #[block(sequencer)]
    async fn ordinary(n: i64, ctx: Ctx) -> Result<Vec<i64>> {
        let mut found = vec![ctx.step(inc, ctx.step(double, n).await?).await?];
        assert_eq!(ctx.step(inc, n).await?, n + 1, "{}", ctx.step(length, "text".into()).await?);
        found.push(tokio::select! {
            biased;
            first = ctx.step(slow, 100) => first?,
            first = ctx.step(slow, 1) => first?,
        });
        let later = async |n| ctx.step(double, n).await;
        found.push(later(later(n).await?).await?);
        if let Err(error) = ctx.step(boom, 0).await {
            found.push(error.to_string().len() as i64);
        }
        let never = ctx.step(boom, 0);
        drop(never);
        let (a, b) = tokio::join!(ctx.step(slow, 5), ctx.step(slow, 6));
        found.extend([a?, b?]);
        Ok(found)
    }
    let begun = tokio::time::Instant::now();
    assert_eq!(flowstate::run(ordinary, 1).await.unwrap(), [3, 1, 4, 4, 5, 6]);
    assert_eq!(begun.elapsed(), Duration::from_secs(7), "on the paused clock");
}

macro_rules! many {
    ($($step:ident)*) => {
        #[block(sequencer)]
        fn many_steps(input: i64) -> i64 {
            input $(.step($step))*
        }
    };
}
many! {
    inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc
    inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc
    inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc
    inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc
    inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc
    inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc inc
}

#[tokio::test]
async fn a_hundred_and_fifty_steps() {
    assert_eq!(flowstate::run(many_steps, 0).await.unwrap(), 150);
}

/// Each block has the next one as its step; the last has `inc`.
macro_rules! nest {
    ($outer:ident $inner:ident $($rest:ident)*) => {
        #[block(sequencer)]
        fn $outer(input: i64) -> i64 {
            input.step($inner)
        }
        nest!($inner $($rest)*);
    };
    ($last:ident) => {
        #[block(sequencer)]
        async fn $last(input: i64, ctx: Ctx) -> Result<i64> {
            ctx.step(inc, input).await
        }
    };
}
nest!(a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 b4 b5 b6 b7 b8 b9 c1 c2 c3 c4 c5 c6 c7 c8 c9 d1 d2 d3 d4 d5 d6 d7 d8 d9);

#[tokio::test]
async fn thirty_six_sequencers_in_one_another() {
    assert_eq!(flowstate::run(a1, 0).await.unwrap(), 1);
}

#[derive(Debug)]
struct Odd;
impl std::fmt::Display for Odd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("odd")
    }
}
impl std::error::Error for Odd {}

fn even(n: &u32) -> std::result::Result<(), Odd> {
    if n.is_multiple_of(2) { Ok(()) } else { Err(Odd) }
}

/// A closure's error is its own, as a block's is; where only `?` or `Ok` says it, it is `Error`.
#[block(sequencer)]
fn own_errors(text: String) -> u32 {
    text.try_map(|text| text.trim().parse::<u32>())
        .tap(|n| even(n))
        .tap(async |n| even(n))
        .tap(|n| {
            even(n)?;
            Ok(())
        })
        .try_map(|n| if n == 4 { Err(Odd) } else { Ok(n) })
        .try_map(async |n| u8::try_from(n))
        .try_map(|n| -> std::result::Result<u32, Odd> { Ok(u32::from(n)) })
        .try_map(|n| match u8::try_from(n) {
            Ok(n) => Ok(u32::from(n)),
            Err(_) => Ok(0),
        })
        .try_map(|n| std::result::Result::Ok(n + 1))
}

#[tokio::test]
async fn a_closure_may_fail_with_any_error() {
    let run = |text: &str| flowstate::run(own_errors, text.to_string());
    assert_eq!(run(" 6 ").await.unwrap(), 7);
    assert!(run("six").await.unwrap_err().is::<std::num::ParseIntError>());
    assert!(run("5").await.unwrap_err().is::<Odd>());
    assert!(run("4").await.unwrap_err().is::<Odd>());
    assert!(run("256").await.unwrap_err().is::<std::num::TryFromIntError>());
}
