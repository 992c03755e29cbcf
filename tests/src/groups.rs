//! The methods of a chain that run one of several blocks, or several: `parallel`, `step_all`, `step_any`, `race`,
//! `branch`, the loops, `throw_if`, `for_each` with a factory; and the adapters of blocks.

use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use flowstate::error::AllFailed;
use flowstate::prelude::*;
use tokio::time::{Instant, sleep};

use crate::live::Live;

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
async fn boom(n: i64) -> Result<i64> {
    Err(Error::msg(format!("boom {n}")))
}

#[block(handler)]
async fn bang(n: i64) -> Result<i64> {
    Err(Error::with_code("bang", format!("bang {n}")))
}

/// Waits as many seconds as its input says.
#[block(handler)]
async fn nap(n: i64) -> Result<i64> {
    sleep(Duration::from_secs(n.unsigned_abs())).await;
    Ok(n)
}

/// Waits, and then fails with its name.
#[block(handler)]
async fn late(n: i64) -> Result<i64> {
    sleep(Duration::from_secs(n.unsigned_abs())).await;
    Err(Error::msg(format!("late {n}")))
}

/// Never ends.
#[block(handler, needs = [Live])]
async fn hang(_: i64, ctx: Ctx) -> Result<i64> {
    let _alive = ctx.needs.live.enter();
    pending().await
}

/// Leaves its path in the state of its parent, which is that of its sequencer.
#[block(handler, parent = Trail, sequencer = Trail, targets(tour = Option<Trail>))]
async fn tell(n: i64, ctx: Ctx) -> Result<i64> {
    ctx.parent.seen.push(ctx.path())?;
    assert_eq!(ctx.sequencer.seen.get(), ctx.parent.seen.get());
    assert_eq!(
        ctx.targets.tour.map(|tour| tour.seen.get().len()),
        Some(ctx.parent.seen.get().len())
    );
    Ok(n)
}

#[data]
#[derive(PartialEq)]
struct Both {
    left: i64,
    right: String,
}

fn ten(n: i64) -> i64 {
    n + 10
}

#[tokio::test]
async fn parallel_gives_a_tuple_or_a_struct() {
    #[block(sequencer)]
    fn tuple(n: i64) -> (i64, String, (i64, i64)) {
        n.parallel((inc, (|n| n.to_string(), shout), inner))
    }
    #[block(sequencer)]
    fn inner(n: i64) -> (i64, i64) {
        n.parallel(((ten, inc), double.connect_output(|n| n + 1)))
    }
    #[block(sequencer)]
    fn filled(n: i64) -> Both {
        n.parallel(Both { right: (async |n: i64| n.to_string(), shout), left: double })
    }
    #[block(sequencer)]
    fn alone(n: i64) -> (i64,) {
        n.parallel((inc,))
    }
    assert_eq!(flowstate::run(tuple, 1).await.unwrap(), (2, "1!".into(), (12, 3)));
    assert_eq!(flowstate::run(filled, 4).await.unwrap(), Both { left: 8, right: "4!".into() });
    assert_eq!(flowstate::run(alone, 1).await.unwrap(), (2,));
}

#[tokio::test(start_paused = true)]
async fn branches_run_side_by_side_and_no_more_than_may() {
    #[block(sequencer)]
    fn all(n: i64) -> (i64, i64, i64) {
        n.parallel((nap, nap, nap))
    }
    #[block(sequencer)]
    fn two(n: i64) -> (i64, i64, i64) {
        n.parallel((nap, nap, nap), max_concurrency = 2)
    }
    #[block(sequencer)]
    fn one(n: i64) -> Vec<i64> {
        n.step_all([nap, nap, nap], max_concurrency = 1)
    }
    #[block(sequencer)]
    fn every(n: i64) -> Vec<i64> {
        n.step_all([nap, nap, nap, nap])
    }
    let begun = Instant::now();
    let seconds = || begun.elapsed().as_secs();
    flowstate::run(all, 1).await.unwrap();
    assert_eq!(seconds(), 1);
    flowstate::run(two, 1).await.unwrap();
    assert_eq!(seconds(), 3);
    flowstate::run(one, 1).await.unwrap();
    assert_eq!(seconds(), 6);
    assert_eq!(flowstate::run(every, 1).await.unwrap(), [1, 1, 1, 1]);
    assert_eq!(seconds(), 7);
}

/// What a sequencer gives, and how many of its blocks are alive right after it, have begun, and at most were alive.
macro_rules! with_live {
    ($block:ident, $input:expr) => {{
        let live = Live::default();
        let app = App::builder().provide(live.clone()).build().unwrap();
        let ended = app.run($block, $input).await;
        (ended, live.alive(), live.begun())
    }};
}

/// Asks, inside of the request, how many are alive when the failed operation has returned.
#[tokio::test(start_paused = true)]
async fn the_first_error_ends_all_branches() {
    macro_rules! ends {
        ($name:ident, $begun:expr, [$($chain:tt)*]) => {{
            #[block(sequencer)]
            fn $name(n: i64) -> i64 {
                n $($chain)*
            }
            #[block(sequencer, needs = [Live])]
            async fn looks(n: i64, ctx: Ctx) -> Result<String> {
                let error = ctx.step($name, n).await.unwrap_err();
                assert_eq!(ctx.needs.live.alive(), 0, "dropped before it returns");
                Ok(format!("{error} in {}", error.path()))
            }
            let (ended, _, begun) = with_live!(looks, 1);
            assert_eq!(ended.unwrap(), concat!("late 1 in looks > ", stringify!($name), " > late[2]"));
            assert_eq!(begun, $begun);
        }};
    }
    ends!(tuple, 3, [.parallel((hang, hang, late, hang)).map(|(n, ..)| n)]);
    ends!(limited, 2, [.parallel((hang, hang, late, hang, hang), max_concurrency = 3).map(|(n, ..)| n)]);
    ends!(all, 3, [.step_all([hang, hang, late, hang]).map(|list| list[0])]);
    ends!(all_limited, 2, [.step_all([hang, hang, late, hang, hang], max_concurrency = 3).map(|list| list[0])]);
}

#[tokio::test(start_paused = true)]
async fn step_all_keeps_the_order_of_its_blocks() {
    #[block(sequencer)]
    fn all(n: i64) -> Vec<i64> {
        n.step_all([(|n| n + 2, nap), (ten, nap), inc.connect_input(|n: i64| n * 100), nap])
    }
    assert_eq!(flowstate::run(all, 1).await.unwrap(), [3, 11, 101, 1]);
}

#[tokio::test]
async fn step_any_goes_on_to_the_first_that_succeeds() {
    #[block(sequencer, state = Trail)]
    fn tour(n: i64) -> (i64, usize) {
        n.step_any([boom, (ten, bang), double, tell])
            .step_any([boom, (ten, tell), tell])
            .map(|n, ctx| (n, ctx.self_.seen.get().len()))
    }
    #[block(sequencer)]
    fn none(n: i64) -> i64 {
        n.step_any([boom, (ten, bang), panics])
    }
    #[block(handler)]
    async fn panics(_: i64) -> Result<i64> {
        panic!("no")
    }
    #[block(sequencer)]
    fn single(n: i64) -> i64 {
        n.step_any([bang])
    }
    assert_eq!(flowstate::run(tour, 4).await.unwrap(), (18, 1));
    let error = flowstate::run(none, 4).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("all_failed", "none"));
    let all = error.downcast_ref::<AllFailed>().unwrap().errors();
    let texts: Vec<_> = all.iter().map(|error| format!("{error} in {}", error.path())).collect();
    assert_eq!(
        texts,
        [
            "boom 4 in none > boom[0]",
            "bang 14 in none > bang[1]",
            "the block panicked: no in none > panics[2]"
        ]
    );
    let text = "every block of the `step_any` failed: boom 4; bang 14; the block panicked: no";
    assert_eq!(error.to_string(), text);
    let error = flowstate::run(single, 4).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("bang", "single > bang[0]"));
}

#[tokio::test(start_paused = true)]
async fn race_takes_the_first_success_and_drops_the_rest() {
    #[block(sequencer)]
    fn first(n: i64) -> i64 {
        n.race([(|_| 3, late), hang, (|_| 5, nap), (|_| 9, nap), hang])
    }
    #[block(sequencer, needs = [Live])]
    async fn looks(n: i64, ctx: Ctx) -> Result<i64> {
        let n = ctx.step(first, n).await?;
        assert_eq!(ctx.needs.live.alive(), 0, "dropped before it returns");
        Ok(n)
    }
    #[block(sequencer)]
    fn narrow(n: i64) -> i64 {
        n.race([(|_| 3, late), (|_| 5, nap), hang], max_concurrency = 1)
    }
    #[block(sequencer)]
    fn none(n: i64) -> i64 {
        n.race([(|_| 3, late), boom, (|_| 1, late)])
    }
    #[block(sequencer)]
    fn single(n: i64) -> i64 {
        n.race([bang])
    }
    let clock = Instant::now();
    let (ended, alive, begun) = with_live!(looks, 0);
    assert_eq!((ended.unwrap(), alive, begun), (5, 0, 2));
    assert_eq!(clock.elapsed().as_secs(), 5, "the losers are not waited for");
    let (ended, alive, begun) = with_live!(narrow, 0);
    assert_eq!((ended.unwrap(), alive, begun), (5, 0, 0));
    let error = flowstate::run(none, 7).await.unwrap_err();
    assert_eq!(error.code(), "all_failed");
    let all = error.downcast_ref::<AllFailed>().unwrap().errors();
    let texts: Vec<_> = all.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["boom 7", "late 1", "late 3"], "as they came");
    let error = flowstate::run(single, 4).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("bang", "single > bang[0]"));
}

/// Neither a suspension nor a cancellation is a failure that another block makes good.
#[tokio::test(start_paused = true)]
async fn a_suspension_goes_through_groups() {
    #[block(handler)]
    async fn suspends(_: i64) -> Result<i64> {
        Err(Error::stop("suspended", "waiting"))
    }
    #[block(handler)]
    async fn cancelled(_: i64) -> Result<i64> {
        Err(Error::stop("cancelled", "stopped"))
    }
    #[block(sequencer)]
    fn any(n: i64) -> i64 {
        n.step_any([boom, suspends, double])
    }
    #[block(sequencer)]
    fn raced(n: i64) -> i64 {
        n.race([boom, nap, cancelled])
    }
    let error = flowstate::run(any, 1).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("suspended", "any > suspends[1]"));
    let error = flowstate::run(raced, 1).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("cancelled", "raced > cancelled[2]"));
}

#[tokio::test]
async fn branch_takes_the_first_arm_that_holds() {
    fn small(n: &i64) -> bool {
        *n < 10
    }
    #[block(sequencer, state = Trail)]
    fn arms(n: i64) -> i64 {
        n.branch(
            (|n, ctx| *n < 0 && ctx.self_.seen.get().is_empty(), inc),
            (small, double),
            (|n| n - 100, |n| *n > 0, inc),
            (async |n| n - 50, |n| *n > 0, inc),
            boom,
        )
    }
    #[block(sequencer)]
    fn no_arm(n: i64) -> i64 {
        n.branch((small, inc), (ten, |n| *n > 1000, inc))
    }
    for (n, out) in [(-5, -4), (3, 6), (101, 2), (60, 11)] {
        assert_eq!(flowstate::run(arms, n).await.unwrap(), out, "{n}");
    }
    let error = flowstate::run(arms, 20).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.path()), ("boom 20", "arms > boom[4]"));
    let error = flowstate::run(no_arm, 20).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("no_branch", "no_arm"));
    assert!(!error.retryable());
}

/// The connectors of the arms that are passed over have run; those behind the one taken have not.
#[tokio::test]
async fn connectors_of_arms_run_in_order() {
    #[block(sequencer, state = Trail)]
    fn arms(n: i64) -> String {
        n.branch(
            (
                |n, ctx| {
                    ctx.self_.seen.push("a".into()).unwrap();
                    n
                },
                |_| false,
                inc,
            ),
            (
                |n, ctx| {
                    ctx.self_.seen.push("b".into()).unwrap();
                    n
                },
                |_| true,
                inc,
            ),
            (
                |n, ctx| {
                    ctx.self_.seen.push("c".into()).unwrap();
                    n
                },
                |_| true,
                inc,
            ),
        )
        .map(|_, ctx| ctx.self_.seen.get().concat())
    }
    assert_eq!(flowstate::run(arms, 20).await.unwrap(), "ab");
}

static CLONES: AtomicU32 = AtomicU32::new(0);

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Counted(i64);

impl Clone for Counted {
    fn clone(&self) -> Self {
        CLONES.fetch_add(1, Ordering::SeqCst);
        Self(self.0)
    }
}

/// A value is copied only where a connector leaves it for another arm.
#[tokio::test]
async fn branch_moves_the_value() {
    #[block(handler)]
    async fn take(counted: Counted) -> Result<i64> {
        Ok(counted.0)
    }
    #[block(sequencer)]
    fn moved(n: Counted) -> i64 {
        n.branch((|n| n.0 > 100, take), (|n| n.0 > 10, take), take)
    }
    #[block(sequencer)]
    fn copied(n: Counted) -> i64 {
        n.branch((|n| Counted(n.0 * 2), |n| n.0 > 100, take), take)
    }
    let clones = async |block: &str, n| {
        CLONES.store(0, Ordering::SeqCst);
        let out = match block {
            "moved" => flowstate::run(moved, Counted(n)).await.unwrap(),
            _ => flowstate::run(copied, Counted(n)).await.unwrap(),
        };
        (out, CLONES.load(Ordering::SeqCst))
    };
    assert_eq!(clones("moved", 200).await, (200, 0));
    assert_eq!(clones("moved", 20).await, (20, 0));
    assert_eq!(clones("moved", 2).await, (2, 0));
    assert_eq!(clones("copied", 200).await, (400, 1));
    assert_eq!(clones("copied", 2).await, (2, 1));
}

#[block(handler, needs = [Live])]
async fn counted(n: i64, ctx: Ctx) -> Result<i64> {
    let _alive = ctx.needs.live.enter();
    Ok(n + 1)
}

#[tokio::test]
async fn loops_run_the_block_first() {
    fn big(n: &i64) -> bool {
        *n >= 3
    }
    #[block(sequencer, state = Trail)]
    fn tour(n: i64) -> (i64, String) {
        n.do_until(inc, big)
            .do_while(inc, |n| *n < 0)
            .do_until(|n| n * 10, inc, |_| true)
            .do_until(tell, |_, ctx| ctx.self_.seen.get().len() == 3)
            .do_while(async |n| n + 1, double.connect_input(|n: i64| n + 1), |n| *n < 1000)
            .map(|n, ctx| (n, ctx.self_.seen.get().join(" | ")))
    }
    let (n, seen) = flowstate::run(tour, 0).await.unwrap();
    assert_eq!((n, seen.as_str()), (1406, "tour > tell[0] | tour > tell[1] | tour > tell[2]"));
    let (n, _) = flowstate::run(tour, 5).await.unwrap();
    assert_eq!(n, 1182);
}

#[tokio::test]
async fn loops_have_a_limit() {
    #[block(sequencer)]
    fn until(n: i64) -> i64 {
        n.do_until(counted, |n| *n == 1000)
    }
    #[block(sequencer)]
    fn while_(n: i64) -> i64 {
        n.do_while(counted, |n| *n < 1000)
    }
    #[block(sequencer)]
    fn three(n: i64) -> i64 {
        n.do_until(counted, |n| *n == 1000, max_iterations = 3)
    }
    let (ended, _, begun) = with_live!(until, 0);
    let error = ended.unwrap_err();
    assert_eq!((error.code(), error.path(), begun), ("loop_limit", "until", 250));
    assert_eq!(error.to_string(), "`do_until` has run `counted` 250 times, which is its limit");
    assert!(!error.retryable());
    let (ended, _, begun) = with_live!(until, 750);
    assert_eq!((ended.unwrap(), begun), (1000, 250), "the last pass counts");
    let (ended, _, begun) = with_live!(while_, 0);
    assert_eq!((ended.unwrap_err().code(), begun), ("loop_limit", 250));
    let (ended, _, begun) = with_live!(three, 0);
    assert_eq!((ended.unwrap_err().code(), begun), ("loop_limit", 3));
    let (ended, _, begun) = with_live!(three, 997);
    assert_eq!((ended.unwrap(), begun), (1000, 3));
}

#[derive(Debug, thiserror::Error)]
#[error("{0} is too much")]
struct TooMuch(i64);

#[tokio::test]
async fn throw_if_ends_the_chain_with_an_error() {
    fn huge(n: &i64) -> bool {
        *n > 1000
    }
    #[block(sequencer, state = Trail)]
    fn picky(n: i64) -> i64 {
        n.throw_if(huge, "huge")
            .throw_if(|n| *n > 100, |n| TooMuch(*n))
            .throw_if(
                |n, ctx| *n > 50 && ctx.self_.seen.get().is_empty(),
                |n, ctx| Error::with_code("half", format!("{n} in {}", ctx.block())),
            )
            .throw_if(|n| *n < 0, Error::with_code("negative", "below zero"))
            .step(inc)
    }
    assert_eq!(flowstate::run(picky, 5).await.unwrap(), 6);
    let error = flowstate::run(picky, 5000).await.unwrap_err();
    assert_eq!(
        (error.code(), error.path(), error.to_string()),
        ("block_failed", "picky", "huge".into())
    );
    assert!(flowstate::run(picky, 500).await.unwrap_err().is::<TooMuch>());
    let error = flowstate::run(picky, 60).await.unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("half", "60 in picky"));
    assert_eq!(flowstate::run(picky, -1).await.unwrap_err().code(), "negative");
}

#[tokio::test(start_paused = true)]
async fn for_each_with_a_factory() {
    #[block(sequencer, state = Trail)]
    fn tour(items: Vec<i64>) -> (Vec<i64>, String) {
        items
            .for_each(
                |n, index, ctx| {
                    if *n == 0 {
                        return Each::Tell;
                    }
                    assert_eq!(ctx.block(), "tour");
                    if index % 2 == 0 { Each::Inc } else { Each::Twice }
                },
                blocks = [inc, twice = double.connect_output(|n| n), tell, boom],
            )
            .map(|list, ctx| (list, ctx.self_.seen.get().concat()))
    }
    #[block(sequencer)]
    fn fails(items: Vec<i64>) -> Vec<i64> {
        items.for_each(
            |n| if *n == 2 { Each::Late } else { Each::Hang },
            blocks = [late, hang],
            max_concurrency = 3,
        )
    }
    let out = flowstate::run(tour, vec![1, 2, 0, 4, 5]).await.unwrap();
    assert_eq!(out, (vec![2, 4, 0, 8, 6], "tour > tell[2]".into()));
    assert_eq!(flowstate::run(tour, vec![]).await.unwrap(), (vec![], String::new()));
    let (ended, alive, begun) = with_live!(fails, vec![0, 1, 2, 3, 4]);
    assert_eq!(ended.unwrap_err().path(), "fails > late[2]");
    assert_eq!((alive, begun), (0, 2));
}

/// In each kind of operation a block has the sequencer for its parent, and says by a number which branch it is.
#[tokio::test]
async fn every_kind_of_branch_is_a_child_of_the_sequencer() {
    #[block(sequencer, state = Trail)]
    fn tour(n: i64) -> Vec<String> {
        n.step(tell)
            .parallel((tell, tell))
            .step(|(a, b)| a + b, tell)
            .step_all([tell, (ten, tell)], max_concurrency = 1)
            .map(|list| list[0])
            .step_any([boom, tell])
            .race([boom, tell])
            .branch((|_| false, boom), (|n| n, |_| true, tell), boom)
            .branch((|_| false, boom), tell)
            .step(tell.connect_input(|n: i64| n).connect_output(|n| n))
            .do_until(tell, |_| true)
            .step_if(|_| true, tell)
            .tap(tell)
            .for_each(|n| vec![n, n], tell, max_concurrency = 1)
            .for_each(|_| Each::Tell, blocks = [tell], max_concurrency = 1)
            .map(|_, ctx| ctx.self_.seen.get())
    }
    let seen = flowstate::run(tour, 0).await.unwrap();
    let seen: Vec<_> = seen.iter().map(|path| path.strip_prefix("tour > tell").unwrap()).collect();
    assert_eq!(
        seen,
        [
            "", "[0]", "[1]", "", "[0]", "[1]", "[1]", "[1]", "[1]", "[1]", "", "[0]", "", "",
            "[0]", "[1]", "[0]", "[1]"
        ]
    );
}

/// Adapters over adapters, over sequencers, and over values of a generic function.
#[tokio::test]
async fn adapters_change_what_goes_in_and_out() {
    fn parsed<B>(block: B) -> impl IntoBlock<Block: flowstate::Block<Input = String, Output = i64>>
    where
        B: IntoBlock<Block: flowstate::Block<Input = i64, Output = i64>>,
    {
        block.connect_input(|text: String| text.parse::<i64>().unwrap_or(-1))
    }
    #[block(sequencer)]
    fn inner(n: i64) -> i64 {
        n.step(inc).step(double)
    }
    let texts = ["4", "x"].map(String::from);
    for (text, out) in texts.into_iter().zip([10, 0]) {
        assert_eq!(flowstate::run(parsed(inner), text).await.unwrap(), out);
    }
    let twice = inner.connect_output(|n| n + 1).connect_output(|n| n.to_string());
    assert_eq!(flowstate::run(twice, 1).await.unwrap(), "5");
    let error =
        flowstate::run(boom.connect_output(|n| n).connect_input(|()| 7), ()).await.unwrap_err();
    assert_eq!((error.path(), error.to_string().as_str()), ("boom", "boom 7"));
    let panics = inc.connect_input(|n: i64| if n > 0 { n } else { panic!("not positive") });
    let error = flowstate::run(panics, 0).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("block_panicked", "inc"));
}

/// The async form runs blocks side by side, too.
#[tokio::test(start_paused = true)]
async fn parallel_of_an_async_sequencer() {
    #[block(sequencer, state = Trail, needs = [Live])]
    async fn tour(n: i64, ctx: Ctx) -> Result<String> {
        let (a, b, c) = ctx.parallel((nap, inc.connect_output(|n| n.to_string()), tell), n).await?;
        let error = ctx.parallel((hang, late, hang), 1).await.unwrap_err();
        assert_eq!(ctx.needs.live.alive(), 0, "dropped before it returns");
        assert_eq!(ctx.needs.live.begun(), 2);
        let list = ctx.for_each(tell, [1, 2]).max_concurrency(1).await?;
        let seen = ctx.self_.seen.get().join(" ");
        Ok(format!("{a} {b} {c} {} {list:?} {seen}", error.path()))
    }
    let (ended, ..) = with_live!(tour, 1);
    assert_eq!(
        ended.unwrap(),
        "1 2 1 tour > late[1] [1, 2] tour > tell[2] tour > tell[0] tour > tell[1]"
    );
}
