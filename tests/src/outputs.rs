//! `ctx.output_of`: what a block of a sequencer returned last.

use flowstate::prelude::*;

#[block(handler)]
async fn draft(n: u32) -> Result<String> {
    if n == 13 { Err(Error::msg("unlucky")) } else { Ok(format!("draft {n}")) }
}

#[block(handler)]
async fn measure(text: String) -> Result<usize> {
    Ok(text.len())
}

#[block(handler)]
async fn blank(_: Rescued) -> Result<String> {
    Ok("blank".into())
}

#[block(sequencer)]
fn pair(n: u32) -> (Option<String>, usize) {
    n.tap(|_, ctx| assert_eq!(ctx.output_of(draft), None, "it has not run"))
        .map(|_| 1)
        .step(draft)
        .step(measure)
        .map(|length, c| (c.output_of(draft), length))
}

#[tokio::test]
async fn of_an_earlier_step() {
    let said = flowstate::run(pair, 0).await.unwrap();
    assert_eq!(said, (Some("draft 1".into()), 7));
}

/// A type with a method of that name.
#[data]
struct Report(u32);

impl Report {
    fn output_of(&self, stage: u32) -> u32 {
        self.0 + stage
    }
}

#[block(sequencer)]
fn own_method(n: u32) -> u32 {
    n.map(Report).map(|report| {
        let stage = 4;
        report.output_of(stage) + report.output_of(1 + stage)
    })
}

#[tokio::test]
async fn a_method_of_that_name_is_no_question() {
    assert_eq!(flowstate::run(own_method, 1).await.unwrap(), 11);
}

/// Whatever runs the block: the last run that has returned counts.
#[block(sequencer, state = Seen)]
fn every_way(n: u32) -> Vec<String> {
    n.tap(draft)
        .tap(|_, ctx| ctx.self_.all.push(format!("{:?}", ctx.output_of(draft))))
        .tap(|n| vec![n + 1, n + 2], drafts)
        .tap(|_, ctx| ctx.self_.all.push(format!("{:?}", ctx.output_of(draft))))
        .tap(|_| 5, draft.connect_output(|text| text.len()))
        .tap(|_, ctx| ctx.self_.all.push(format!("{:?}", ctx.output_of(draft))))
        .tap(|_| 13, draft.rescue::<Error>(blank))
        .tap(|_, ctx| ctx.self_.all.push(format!("{:?}", ctx.output_of(draft))))
        .tap(|_, ctx| ctx.self_.all.push(format!("{:?}", ctx.output_of(blank))))
        .map(|n| vec![n, n + 6])
        .for_each(draft, max_concurrency = 1)
        .tap(|_, ctx| ctx.self_.all.push(format!("{:?}", ctx.output_of(draft))))
        .tap(|_, ctx| ctx.self_.all.push(format!("{:?}", ctx.output_of(drafts).unwrap().len())))
        .map(|_, ctx| ctx.self_.all.get())
}

#[state]
struct Seen {
    all: Vec<String>,
}

#[block(sequencer)]
fn drafts(all: Vec<u32>) -> Vec<String> {
    all.for_each(draft)
}

#[tokio::test]
async fn of_the_last_run_that_returned() {
    let seen = flowstate::run(every_way, 1).await.unwrap();
    let all = [
        r#"Some("draft 1")"#,
        r#"Some("draft 1")"#,
        r#"Some("draft 5")"#,
        r#"Some("draft 5")"#,
        r#"Some("blank")"#,
        r#"Some("draft 7")"#,
        "2",
    ];
    assert_eq!(seen, all, "what runs under another sequencer is that one's");
}

fn last(ctx: &Ctx<'_, written>) -> Option<String> {
    ctx.output_of(draft)
}

#[block(sequencer)]
async fn written(n: u32, ctx: Ctx) -> Result<Vec<Option<String>>> {
    let mut all = vec![ctx.output_of(draft)];
    ctx.step(draft, n).await?;
    all.push(ctx.output_of(draft));
    let later = ctx.step(draft, n + 1);
    all.push(last(&ctx));
    later.await?;
    all.push(last(&ctx));
    assert!(ctx.step(draft, 13).await.is_err());
    all.push(last(&ctx));
    ctx.for_each(draft, [n + 2]).await?;
    all.push(last(&ctx));
    ctx.parallel((draft, measure.connect_input(|n: u32| n.to_string())), n + 3).await?;
    all.push(last(&ctx));
    Ok(all)
}

#[tokio::test]
async fn of_an_async_sequencer() {
    let draft = |n: u32| Some(format!("draft {n}"));
    let all = [None, draft(1), draft(1), draft(2), draft(2), draft(3), draft(4)];
    assert_eq!(flowstate::run(written, 1).await.unwrap(), all);
}

#[block(sequencer)]
fn rescued(n: u32) -> String {
    n.step(|n| n - 1, draft).map(|_| 13).step(draft).rescue(told)
}

#[block(sequencer)]
fn told(failure: Rescued) -> String {
    failure
        .step(|failure| failure.message().len() as u32, draft)
        .map(|_, ctx| ctx.output_of(draft).unwrap_or_default())
}

#[tokio::test]
async fn each_sequencer_has_its_own() {
    assert_eq!(flowstate::run(rescued, 1).await.unwrap(), "draft 7");
}
