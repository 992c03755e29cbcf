//! Blocks that run themselves, by `again`.

use flowstate::prelude::*;

#[state]
struct Level {
    n: i64,
    below: Vec<i64>,
}

/// Counts down, and leaves what each level is in the level above.
#[block(sequencer, state = Level, parent = Option<Level>)]
async fn down(n: i64, ctx: Ctx) -> Result<i64> {
    assert_eq!(ctx.self_.get().n, 0, "each level has a state of its own");
    ctx.self_.n.set(n)?;
    if let Some(parent) = &ctx.parent {
        assert_eq!(parent.n.get(), n + 1);
        parent.below.push(n)?;
    }
    if n == 0 {
        return Ok(0);
    }
    let depth = ctx.step(again(down), n - 1).await?;
    assert_eq!(ctx.self_.get().below, [n - 1]);
    Ok(depth + 1)
}

#[block(sequencer)]
fn chain_down(n: i64) -> i64 {
    n.exit_if(|n| *n <= 0).map(|n| n - 1).step(again(chain_down)).map(|n| n + 2)
}

#[block(sequencer)]
async fn even(n: u32, ctx: Ctx) -> Result<bool> {
    if n == 0 { Ok(true) } else { ctx.step(odd, n - 1).await }
}

#[block(sequencer)]
fn odd(n: u32) -> bool {
    n.throw_if(|n| *n > 1_000_000, "too deep")
        .branch((|n| *n == 0, no), (|n| n - 1, |_| true, again(even)))
}

#[block(handler)]
async fn no(_: u32) -> Result<bool> {
    Ok(false)
}

#[tokio::test]
async fn self_and_mutual() {
    assert_eq!(flowstate::run(down, 5).await.unwrap(), 5);
    assert_eq!(flowstate::run(chain_down, 5).await.unwrap(), 10);
    for n in 0..9 {
        assert_eq!(flowstate::run(even, n).await.unwrap(), n % 2 == 0);
    }
}

/// On a test's thread, which has a stack of 2 MB.
#[tokio::test]
async fn two_hundred_levels() {
    assert_eq!(flowstate::run(down, 200).await.unwrap(), 200);
    assert_eq!(flowstate::run(chain_down, 200).await.unwrap(), 400);
    assert!(flowstate::run(even, 200).await.unwrap());
}

/// Each level takes some of the stack (in a debug build about 5 kB), so a thousand want 8 MB, which a main thread has.
#[test]
fn a_thousand_levels() {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).thread_stack_size(8 << 20).build().unwrap();
    runtime.block_on(async {
        let app = App::builder().build().unwrap();
        assert_eq!(app.start(down, 1000).await.unwrap().output().await.unwrap(), 1000);
        assert_eq!(app.start(chain_down, 1000).await.unwrap().output().await.unwrap(), 2000);
        assert!(app.start(even, 1000).await.unwrap().output().await.unwrap());
    });
}

/// A name that stands several times above means the nearest.
#[tokio::test]
async fn a_target_is_the_nearest_of_its_name() {
    #[block(handler, targets(tree = Level))]
    async fn leaf(n: i64, ctx: Ctx) -> Result<i64> {
        ctx.targets.tree.n.inc(100)?;
        Ok(n)
    }
    #[block(sequencer)]
    fn between(n: i64) -> i64 {
        n.step(leaf)
    }
    #[block(sequencer, state = Level, targets(tree = Option<Level>))]
    async fn tree(n: i64, ctx: Ctx) -> Result<Vec<i64>> {
        // the target is above: never the block itself
        assert_eq!(ctx.targets.tree.as_ref().map(|above| above.n.get()), (n < 3).then_some(n + 1));
        ctx.self_.n.set(n)?;
        let mut below = Vec::new();
        if n > 0 {
            below = ctx.step(again(tree), n - 1).await?;
        }
        ctx.step(between, n).await?;
        below.push(ctx.self_.n.get());
        Ok(below)
    }
    assert_eq!(flowstate::run(tree, 3).await.unwrap(), [100, 101, 102, 103]);
}

#[tokio::test]
async fn a_path_has_every_level() {
    #[block(sequencer)]
    async fn dig(n: u32, ctx: Ctx) -> Result<u32> {
        if n == 0 { Err(Error::msg("rock")) } else { ctx.step(again(dig), n - 1).await }
    }
    #[block(sequencer)]
    async fn shaft(n: u32, ctx: Ctx) -> Result<Vec<u32>> {
        ctx.for_each(dig, 0..n).await
    }
    let error = flowstate::run(dig, 2).await.unwrap_err();
    assert_eq!((error.path(), error.block()), ("dig > dig > dig", Some("dig")));
    let error = flowstate::run(shaft, 2).await.unwrap_err();
    assert_eq!(error.path(), "shaft > dig[0]");
}

/// In branches, loops, for items and side by side.
#[tokio::test]
async fn recursion_in_every_kind_of_operation() {
    #[data]
    #[derive(PartialEq)]
    struct Tree {
        value: u64,
        children: Vec<Tree>,
    }
    #[block(handler)]
    async fn double(n: u64) -> Result<u64> {
        Ok(n * 2)
    }
    #[block(sequencer)]
    async fn sum(tree: Tree, ctx: Ctx) -> Result<u64> {
        let below: Vec<u64> = ctx.for_each(again(sum), tree.children).await?;
        ctx.step(double, tree.value + below.iter().sum::<u64>()).await
    }
    #[block(sequencer)]
    fn fib(n: u64) -> u64 {
        n.exit_if(|n| *n < 2)
            .parallel(((|n| n - 1, again(fib)), (|n| n - 2, again(fib))))
            .map(|(a, b)| a + b)
    }
    #[block(sequencer)]
    fn all(n: u64) -> u64 {
        n.exit_if(|n| *n == 0)
            .step_all([(|n| n - 1, again(all)), (|n| n - 1, again(all))])
            .map(|both| both.iter().sum::<u64>() + 1)
    }
    let leaf = |value| Tree { value, children: vec![] };
    let tree =
        Tree { value: 1, children: vec![leaf(2), Tree { value: 3, children: vec![leaf(4)] }] };
    assert_eq!(flowstate::run(sum, tree).await.unwrap(), 2 * (1 + 4 + 2 * (3 + 8)));
    assert_eq!(flowstate::run(fib, 15).await.unwrap(), 610);
    assert_eq!(flowstate::run(all, 5).await.unwrap(), 31);
}
