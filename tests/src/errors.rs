//! What an error says: its code, its path, its block, and what caused it.

use std::num::ParseIntError;

use flowstate::prelude::*;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("bottom {0}")]
struct Bottom(u32);

#[derive(Debug, thiserror::Error)]
#[error("middle")]
struct Middle(#[source] Bottom);

#[derive(Debug, thiserror::Error)]
enum Top {
    #[error("top")]
    Middle(#[from] Middle),
    #[error("inside: {0}")]
    Inside(BoxError),
}

/// Fails for a number with its last digit 9, panics for one with 8.
#[block(handler)]
async fn picky(n: u32) -> Result<u32, Top> {
    match n % 10 {
        9 => Err(Middle(Bottom(n)).into()),
        8 => panic!("no {n}"),
        _ => Ok(n + 1),
    }
}

/// What an error says, but for its cause.
fn says(error: &Error) -> (&str, &str, Option<&str>, String) {
    (error.code(), error.path(), error.block(), error.to_string())
}

macro_rules! fails {
    ($block:expr, $input:expr => $code:literal, $path:literal, $block_name:literal, $text:literal) => {{
        let error = flowstate::run($block, $input).await.unwrap_err();
        assert_eq!(says(&error), ($code, $path, Some($block_name), $text.to_string()));
        error
    }};
}

#[test]
fn an_error_by_itself() {
    let error = Error::msg("text");
    assert_eq!(says(&error), ("block_failed", "", None, "text".to_string()));
    assert!(!error.retryable() && error.source().is_some());
    let error = Error::with_code("quota_used_up", "wait").with_retryable(true);
    assert_eq!(says(&error), ("quota_used_up", "", None, "wait".to_string()));
    assert!(error.retryable() && !error.is::<Bottom>());
    let error = Error::from("x".parse::<u32>().unwrap_err());
    assert!(error.is::<ParseIntError>() && error.downcast_ref::<Bottom>().is_none());
    assert_eq!(
        format!("{:?}", Error::from(Middle(Bottom(1)))),
        "block_failed: middle\n  caused by: bottom 1"
    );
    let codes: Vec<_> = flowstate::error::code::ALL.iter().map(|(code, _)| *code).collect();
    assert!(
        codes.iter().all(|code| code.chars().all(|c| c.is_ascii_lowercase() || c == '_')),
        "{codes:?}"
    );
    assert!(codes.iter().enumerate().all(|(i, code)| !codes[..i].contains(code)), "{codes:?}");
}

#[tokio::test]
async fn causes_are_found_along_the_sources() {
    let error = fails!(picky, 9 => "block_failed", "picky", "picky", "top");
    assert!(
        error.is::<Top>()
            && error.is::<Middle>()
            && error.is::<Bottom>()
            && !error.is::<ParseIntError>()
    );
    assert_eq!(error.downcast_ref::<Bottom>(), Some(&Bottom(9)));
    assert!(error.source().unwrap().is::<Top>());
}

#[tokio::test]
async fn paths_name_each_level() {
    #[block(sequencer, name = "inner one")]
    fn inner(n: u32) -> u32 {
        n.step(picky).step(picky)
    }
    #[block(sequencer)]
    fn items(list: Vec<u32>) -> Vec<u32> {
        list.for_each(inner, max_concurrency = 1)
    }
    #[block(sequencer)]
    fn passes(n: u32) -> u32 {
        n.step(picky).loop_back(picky, max_iterations = 100)
    }
    #[block(sequencer)]
    fn items_of_passes(n: u32) -> Vec<u32> {
        n.for_each(|n| vec![n, n + 1, n + 4], passes_inside, max_concurrency = 1)
    }
    #[block(sequencer)]
    fn passes_inside(n: u32) -> u32 {
        n.step(picky).loop_back(picky, max_iterations = 2)
    }
    #[block(sequencer)]
    async fn straight(list: Vec<u32>, ctx: Ctx) -> Result<u32> {
        let mut sum = 0;
        for n in list {
            sum += ctx.step(inner, n).await?;
        }
        ctx.step(picky, sum).await
    }
    let codes = "block_failed";
    assert_eq!(
        codes,
        fails!(inner, 9 => "block_failed", "inner one > picky", "picky", "top").code()
    );
    fails!(items, vec![1, 19] => "block_failed", "items > inner one[1] > picky", "picky", "top");
    fails!(passes, 9 => "block_failed", "passes > picky", "picky", "top");
    fails!(passes, 6 => "block_panicked", "passes > picky[2]", "picky", "the block panicked: no 8");
    fails!(
        items_of_passes, 2 =>
        "block_panicked", "items_of_passes > passes_inside[2] > picky[2]", "picky", "the block panicked: no 8"
    );
    fails!(straight, vec![9] => "block_failed", "straight > inner one > picky", "picky", "top");
    fails!(straight, vec![0, 1, 19] => "block_failed", "straight > inner one[2] > picky", "picky", "top");
    fails!(straight, vec![7, 0] => "block_panicked", "straight > inner one > picky", "picky", "the block panicked: no 8");
    fails!(straight, vec![5, 0] => "block_failed", "straight > picky", "picky", "top");
}

#[tokio::test]
async fn an_inline_function_fails_as_its_sequencer() {
    #[block(sequencer)]
    fn maps(n: u32) -> u32 {
        n.try_map(|n| Ok(n.to_string().repeat(2).parse::<u8>()?)).map(u32::from)
    }
    #[block(sequencer)]
    async fn straight(n: u32, ctx: Ctx) -> Result<u32> {
        if n == 0 {
            return Err(Error::with_code("zero_given", format!("in {}", ctx.path())));
        }
        ctx.step(maps, n).await
    }
    let error = fails!(
        maps, 77 => "block_failed", "maps", "maps", "number too large to fit in target type"
    );
    assert!(error.is::<ParseIntError>());
    fails!(straight, 0 => "zero_given", "straight", "straight", "in straight");
    fails!(straight, 77 => "block_failed", "straight > maps", "maps", "number too large to fit in target type");
}

#[tokio::test]
async fn panics_are_errors_of_their_block() {
    #[block(handler)]
    fn not_async(_: u32) -> Result<u32> {
        panic!("sync")
    }
    #[block(handler)]
    async fn later(_: u32) -> Result<u32> {
        tokio::task::yield_now().await;
        std::panic::panic_any(7)
    }
    #[block(sequencer)]
    fn item(list: Vec<u32>) -> Vec<u32> {
        list.for_each(picky)
    }
    #[block(sequencer)]
    fn inline(n: u32) -> u32 {
        n.map(|n| n + 1).tap(|n| assert!(*n > 100, "small"))
    }
    #[block(sequencer)]
    fn inline_async(n: u32) -> u32 {
        n.map(async |n: u32| {
            tokio::task::yield_now().await;
            n.checked_sub(5).unwrap()
        })
    }
    #[block(sequencer)]
    fn condition(n: u32) -> u32 {
        n.step_if(|n| *n / (*n - 1) > 1, picky)
    }
    #[block(sequencer)]
    async fn goes_on(n: u32, ctx: Ctx) -> Result<u32> {
        let error = ctx.step(picky, 8).await.unwrap_err();
        assert_eq!(error.code(), "block_panicked");
        ctx.step(picky, n).await
    }
    fails!(not_async, 0 => "block_panicked", "not_async", "not_async", "the block panicked: sync");
    fails!(later, 0 => "block_panicked", "later", "later", "the block panicked: a value that is not text");
    fails!(item, vec![1, 2, 8] => "block_panicked", "item > picky[2]", "picky", "the block panicked: no 8");
    fails!(inline, 1 => "block_panicked", "inline", "inline", "the block panicked: small");
    let error = flowstate::run(inline_async, 1).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("block_panicked", "inline_async"));
    assert!(error.is::<flowstate::error::PanicError>());
    fails!(condition, 1 => "block_panicked", "condition", "condition", "the block panicked: attempt to divide by zero");
    assert_eq!(flowstate::run(goes_on, 1).await.unwrap(), 2);
}

#[state]
struct Tally {
    count: u8,
}

#[tokio::test]
async fn refused_writes_keep_their_code_through_every_signature() {
    #[block(handler, state = Tally)]
    async fn plain(n: u8, ctx: Ctx) -> Result<bool> {
        ctx.self_.count.inc(n)?;
        ctx.self_.count.inc(255)
    }
    #[block(handler, state = Tally)]
    async fn boxed(n: u8, ctx: Ctx) -> Result<bool, BoxError> {
        ctx.self_.count.inc(n)?;
        Ok(ctx.self_.count.inc(255)?)
    }
    #[block(handler, state = Tally)]
    async fn any(n: u8, ctx: Ctx) -> anyhow::Result<bool> {
        ctx.self_.count.inc(n)?;
        Ok(ctx.self_.count.inc(255)?)
    }
    macro_rules! refused {
        ($($block:ident)*) => {$({
            let error = flowstate::run($block, 1).await.unwrap_err();
            assert_eq!((error.code(), error.path()), ("state_delta_refused", stringify!($block)));
            assert!(error.is::<flowstate::error::StateError>());
            assert!(error.to_string().contains("Tally.count"), "{error}");
        })*};
    }
    refused!(plain boxed any);
}

#[tokio::test]
async fn an_error_survives_foreign_signatures() {
    #[block(sequencer)]
    async fn boxed(n: u32, ctx: Ctx) -> Result<u32, BoxError> {
        Ok(ctx.step(picky, n).await?)
    }
    #[block(sequencer)]
    async fn boxed_by_a_helper(n: u32, ctx: Ctx) -> Result<u32> {
        async fn help(n: u32, ctx: &Ctx<'_, boxed_by_a_helper>) -> Result<u32, BoxError> {
            let n = ctx.step(boxed, n).await?;
            Ok(n)
        }
        help(n, &ctx).await.map_err(Error::from_box)
    }
    #[block(sequencer)]
    async fn any(n: u32, ctx: Ctx) -> anyhow::Result<u32> {
        Ok(ctx.step(boxed, n).await?)
    }
    #[block(sequencer)]
    async fn wrapped(n: u32, ctx: Ctx) -> Result<u32, Top> {
        ctx.step(picky, n).await.map_err(|error| Top::Inside(error.into()))
    }
    #[block(sequencer)]
    async fn own_code(n: u32, ctx: Ctx) -> Result<u32, BoxError> {
        if n == 1 {
            return Err(Error::with_code("one", "one").with_retryable(true).into());
        }
        Ok(ctx.step(picky, n).await?)
    }
    let error = fails!(boxed, 9 => "block_failed", "boxed > picky", "picky", "top");
    assert!(error.is::<Bottom>() && error.source().unwrap().is::<Top>());
    fails!(boxed, 8 => "block_panicked", "boxed > picky", "picky", "the block panicked: no 8");
    let error = fails!(boxed_by_a_helper, 9 => "block_failed", "boxed_by_a_helper > boxed > picky", "picky", "top");
    assert!(error.is::<Bottom>());
    let error = fails!(any, 9 => "block_failed", "any > boxed > picky", "picky", "top");
    assert!(error.is::<Bottom>());
    let error = fails!(wrapped, 9 => "block_failed", "wrapped", "wrapped", "inside: top");
    assert!(error.is::<Top>());
    assert!(fails!(own_code, 1 => "one", "own_code", "own_code", "one").retryable());
    let outside = |n| async move {
        let n = flowstate::run(boxed, n).await?;
        Ok::<u32, Box<dyn std::error::Error>>(n)
    };
    assert_eq!(outside(9).await.unwrap_err().to_string(), "top");
}
