//! Blocks with a configuration: `#[config]` on arguments makes a block a value.

use flowstate::prelude::*;

#[data]
#[derive(Copy, PartialEq, Eq)]
enum Style {
    Brief,
    Long,
}

/// Shortens a text, as its style says.
#[block(handler)]
async fn summarize(text: String, #[config] style: Style) -> Result<String> {
    Ok(match style {
        Style::Brief => text.chars().take(2).collect(),
        Style::Long => text.repeat(2),
    })
}

#[state]
struct Log {
    lines: Vec<String>,
}

/// The configuration may stand anywhere, and be borrowed; nothing is asked of its type but what the function does with it.
#[block(handler, parent = Log)]
async fn note(
    #[config] prefix: &str,
    text: &str,
    ctx: Ctx,
    #[config] times: usize,
) -> Result<String> {
    ctx.parent.lines.push(format!("{prefix}{}", text.repeat(times)))?;
    Ok(text.to_owned())
}

#[block(sequencer, state = Log)]
fn chain(input: String) -> Vec<String> {
    input
        .step(summarize(Style::Long))
        .step_if(|text| text.len() > 3, note("> ".to_string(), 1))
        .tap(summarize(Style::Brief))
        .step(|text: String| text + "!", summarize(Style::Brief))
        .tap(note("- ".to_string(), 2))
        .map(|_, ctx| ctx.self_.lines.get())
}

#[tokio::test]
async fn a_configured_block_is_a_step_like_any_other() {
    assert_eq!(flowstate::run(chain, "ab".into()).await.unwrap(), ["> abab", "- abab"]);
    assert_eq!(flowstate::run(summarize(Style::Long), "x".into()).await.unwrap(), "xx");
    assert_eq!(format!("{:?}", summarize(Style::Long)), "summarize");
}

/// A sequencer with a configuration of its own: its steps and functions see it.
#[block(sequencer)]
fn styled(input: String, #[config] style: Style, #[config] end: String) -> Vec<String> {
    input
        .step(summarize(style))
        .map(|text| vec![text + &end, "b".to_string()])
        .for_each(summarize(style), max_concurrency = 1)
}

#[block(sequencer)]
fn outer(input: String) -> usize {
    input.step(styled(Style::Brief, "?".to_string())).map(|all| all.len())
}

#[tokio::test]
async fn the_steps_of_a_sequencer_take_its_configuration() {
    let run = |style| flowstate::run(styled(style, "!".into()), "abc".into());
    assert_eq!(run(Style::Brief).await.unwrap(), ["ab", "b"]);
    assert_eq!(run(Style::Long).await.unwrap(), ["abcabc!abcabc!", "bb"]);
    assert_eq!(flowstate::run(outer, "abc".into()).await.unwrap(), 2);
}

/// In an async sequencer, of variables too.
#[block(sequencer, state = Log)]
async fn written(input: Vec<Style>, ctx: Ctx, #[config] end: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for style in input.clone() {
        all.push(ctx.step(summarize(style), "abc".to_string()).await?);
    }
    if let Some(first) = input.first() {
        let made = ctx.step(summarize(*first), "de".to_string());
        all.push(made.await?);
    }
    let (both, other) =
        ctx.parallel((summarize(Style::Brief), summarize(input[0])), "fgh".to_string()).await?;
    all.extend([both, other]);
    ctx.step(note(end.to_string(), all.len()), "n".to_string()).await?;
    all.extend(ctx.for_each(summarize(Style::Brief), vec!["ijk".to_string()]).await?);
    all.extend(ctx.self_.lines.get());
    Ok(all)
}

#[tokio::test]
async fn an_async_sequencer_configures_steps_with_its_variables() {
    let output = flowstate::run(written("_".to_string()), vec![Style::Long, Style::Brief]).await;
    let expected = ["abcabc", "ab", "dede", "fg", "fghfgh", "ij", "_nnnnn"];
    assert_eq!(output.unwrap(), expected);
}

/// A helper that makes a block, in an async sequencer.
fn shouted<B>(block: B) -> impl IntoBlock<Block: Block<Input = String, Output = String>>
where
    B: IntoBlock<Block: Block<Input = String, Output = String>>,
{
    block.connect_output(|text| text.to_uppercase())
}

#[block(sequencer)]
async fn with_helper(input: String, ctx: Ctx) -> Result<String> {
    ctx.step(shouted(summarize(Style::Long)), input).await
}

#[tokio::test]
async fn an_async_sequencer_runs_what_a_helper_makes() {
    assert_eq!(flowstate::run(with_helper, "a".into()).await.unwrap(), "AA");
}

#[block(router, routes = [brief = summarize(Style::Brief), long = summarize(Style::Long)])]
fn pick(text: &str) -> Result<Route> {
    Ok(if text.len() > 2 { Route::Brief } else { Route::Long })
}

#[block(sequencer, state = Log)]
fn routed(input: String) -> String {
    input
        .step(pick)
        .branch((|text| text == "aaaa", note("x".to_string(), 1)), summarize(Style::Brief))
}

#[tokio::test]
async fn routes_and_branches_may_be_configured() {
    assert_eq!(flowstate::run(pick, "abc".into()).await.unwrap(), "ab");
    assert_eq!(flowstate::run(pick, "a".into()).await.unwrap(), "aa");
    assert_eq!(flowstate::run(routed, "aa".into()).await.unwrap(), "aaaa");
}

#[block(handler)]
async fn fallback(failure: Rescued, #[config] text: &str) -> Result<String> {
    Ok(format!("{text}: {}", failure.code()))
}

#[block(handler, retry(max = 2, base = "1ms"), timeout = "1s")]
async fn fails(_: String, #[config] code: &'static str) -> Result<String> {
    Err(Error::with_code(code, "no"))
}

#[block(sequencer)]
fn rescued(input: String) -> String {
    input.step(fails("odd").rescue::<Error>(fallback("saved".to_string())))
}

#[tokio::test]
async fn adapters_and_attempts_work_on_configured_blocks() {
    assert_eq!(flowstate::run(rescued, "a".into()).await.unwrap(), "saved: odd");
}

#[tokio::test]
async fn its_definition_is_known_to_the_checker() {
    let error = flowstate::run(note("a".into(), 1), "b".to_string()).await.unwrap_err();
    assert_eq!(error.code(), "block_misplaced");
}
