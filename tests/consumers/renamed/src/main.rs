//! The crate under another name: every macro is told by `crate = …`.

use flow::block::{AsBlock, At};
use flow::prelude::*;
use flow::schema::{Head, Kind};

// the name that the macros would use otherwise stands for something else
mod flowstate {}

#[state(crate = flow)]
pub struct Note {
    #[state(default = "x".to_string(), validate = short)]
    pub text: String,
    pub count: u32,
    pub tags: std::collections::BTreeSet<String>,
    #[state(transient)]
    pub list: Vec<Part>,
}

fn short(text: &str) -> Result<(), String> {
    if text.len() < 9 { Ok(()) } else { Err("long".into()) }
}

#[state(key = "kept", crate = flow)]
pub struct Kept {
    pub calls: u32,
}

#[data(crate = flow)]
#[derive(PartialEq)]
pub struct Part {
    pub n: i64,
    pub sort: Sort,
}

#[data(crate = flow)]
#[derive(PartialEq)]
pub enum Sort {
    Some(u8),
    Other { text: String },
}

pub struct Service;

#[derive(Debug, Clone, Copy, Default, AsBlock)]
#[block(crate = flow)]
pub struct ByHand;

impl Block for ByHand {
    type Input = i64;
    type Output = i64;
    const HEAD: &'static Head = &Head::new("by_hand", Kind::Handler);
    async fn run(&self, input: i64, _: At<'_>) -> Result<i64> {
        Ok(input)
    }
}

#[block(
    handler, crate = flow, state = Note, parent = Note, sequencer = Option<Note>, targets(main_line = Note),
    request = Kept, session = Kept, needs = [Service]
)]
async fn all_kinds(part: Part, ctx: Ctx) -> Result<i64> {
    ctx.self_.count.inc(1)?;
    ctx.parent.count.inc(1)?;
    ctx.parent.tags.insert("tag".into())?;
    ctx.parent.list.push(part.clone())?;
    ctx.targets.main_line.count.inc(1)?;
    ctx.request.calls.inc(1)?;
    ctx.session.calls.inc(1).await?;
    let Service = ctx.needs.service;
    Ok(part.n + i64::from(ctx.session.calls.get()))
}

#[block(handler, crate = flow)]
fn borrowed(n: &i64) -> Result<i64, String> {
    Ok(*n + 1)
}

#[block(handler, crate = flow)]
async fn fails(_: i64) -> Result<i64> {
    Err(Error::msg("no"))
}

#[data(crate = flow)]
struct Two {
    a: i64,
    b: i64,
}

#[block(sequencer, crate = flow, state = Note)]
fn main_line(parts: Vec<Part>) -> i64 {
    parts
        .for_each(all_kinds, max_concurrency = 1)
        .for_each(|n| if *n > 0 { Each::Borrowed } else { Each::Other }, blocks = [borrowed, other = ByHand])
        .map(|all| all.iter().sum::<i64>())
        .tap(|_, ctx| ctx.self_.text.set("y".into()))
        .tap_if(|n| *n < 0, fails)
        .step_if(|n| *n > 0, borrowed)
        .parallel(Two { a: ByHand, b: (|n| n + 1, borrowed) })
        .parallel((first.connect_output(|n| n), first))
        .map(|(a, b)| a + b)
        .step_all([borrowed, ByHand])
        .try_map(|all| all.first().copied().ok_or_else(|| Error::msg("none")))
        .step_any([fails, borrowed])
        .race([fails, borrowed], max_concurrency = 1)
        .do_while(borrowed, |n| *n < 100)
        .branch((|n| *n < 0, fails), (|n| -n, |n| *n > 0, ByHand), borrowed)
        .loop_back(borrowed, when = |n| *n < 0, max_iterations = 1)
        .throw_if(|n| *n < 0, |_| Error::msg("negative"))
        .exit_if(|n| *n > 0)
}

#[block(handler, crate = flow)]
async fn first(two: Two) -> Result<i64> {
    Ok(two.a.min(two.b))
}

#[block(sequencer, crate = flow, state = Note, steps = [borrowed])]
async fn plain(parts: Vec<Part>, ctx: Ctx) -> Result<i64> {
    let n = ctx.step(main_line, parts).await?;
    let (a, b) = ctx.parallel((borrowed, ByHand), n).await?;
    let all = ctx.for_each(borrowed, vec![a, b]).await?;
    if all[0] < 0 {
        return ctx.step(again(plain), vec![]).await;
    }
    Ok(all[0])
}

#[block(router, crate = flow, routes = [borrowed, second = ByHand, third = borrowed.rescue::<Error>(zero)], state = Note, session = Kept)]
async fn pick(n: &i64, ctx: Ctx) -> Result<Route> {
    assert_eq!((ctx.self_.count.get(), ctx.session.calls.get()), (0, 0));
    Ok(if *n > 1 { Route::Borrowed } else { Route::from_key("third")? })
}

#[block(handler, crate = flow)]
fn zero(_: Rescued) -> Result<i64> {
    Ok(0)
}

#[derive(Default)]
pub struct Settings {
    pub by: u32,
}

#[capability(
    crate = flow, state = Note, session = Kept, config = Settings, presets(more = off(|config| config.by += 1)), timeout = "1m",
    sequencer = Option<Note>, targets(main_line = Option<Note>)
)]
pub struct Counting;

#[capability(crate = flow)]
impl Counting {
    fn more(ctx: &Ctx) -> Result<u32> {
        ctx.self_.count.inc(ctx.config.by)?;
        Ok(ctx.self_.count.get())
    }
    async fn kept(ctx: &Ctx) -> Result<bool> {
        ctx.session.calls.inc(1).await
    }
}

#[block(handler, crate = flow, uses = [Counting.with(by = 2, more = true)])]
async fn counted(n: i64, ctx: Ctx) -> Result<i64> {
    assert!(ctx.cap.counting.kept().await?);
    Ok(n + i64::from(ctx.cap.counting.more()?))
}

flow! {
    #[flow(kind = "renamed", crate = flow)]
    pub struct Renamed {
        pub pick: pick,
        pub go: plain,
        pub counted: counted,
    }
}

#[flow::flow(crate = flow)]
struct Second {
    go: borrowed,
}

#[tokio::main]
async fn main() -> Result<()> {
    let app = App::builder().provide(Service).flow(Renamed).flow(Second).build()?;
    let parts = vec![Part { n: 1, sort: Sort::Some(1) }, Part { n: 2, sort: Sort::Other { text: "t".into() } }];
    assert_eq!(app.request().call(Renamed::go, parts).await?, 103);
    assert_eq!(app.request().call(Renamed::counted, 1).await?, 3);
    assert_eq!(app.request().call(Second::go, 1).await?, 2);
    println!("all as it should be");
    Ok(())
}
