//! A program with `flowstate` and `tokio` alone, and what programs commonly use. Also built in edition 2021.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use flowstate::block::{AsBlock, At, Block};
use flowstate::prelude::*;
use flowstate::schema::{Head, Kind};

fn not_empty(text: &str) -> Result<(), String> {
    if text.is_empty() { Err("empty".into()) } else { Ok(()) }
}

/// What a desk keeps.
#[state(key = "the_desk")]
#[derive(PartialEq)]
pub struct Desk {
    /// Counted.
    pub count: u32,
    #[state(default = 1.5)]
    pub weight: f64,
    #[state(default = "desk".to_string(), validate = |text| not_empty(text))]
    pub name: String,
    #[state(transient)]
    pub log: Vec<String>,
    pub queue: VecDeque<u8>,
    pub best: Option<i64>,
    pub points: BTreeMap<String, u32>,
    pub seen: BTreeSet<String>,
    pub last: HashMap<String, Letter>,
}

#[state]
pub struct Visits {
    pub visits: u32,
}

/// A letter.
#[data]
#[derive(PartialEq)]
pub struct Letter {
    pub to: String,
    pub kind: Sort,
}

#[data]
#[derive(PartialEq, Copy)]
pub enum Sort {
    Plain,
    Express { fee: u32 },
}

#[data]
pub struct Sides {
    pub left: u32,
    pub right: String,
}

/// A service.
pub struct Postage(pub u32);

#[block(handler, state = Desk, request = Visits, session = Visits, user = Account, org = Office, needs = [Postage])]
async fn weigh(Letter { to, kind }: Letter, ctx: Ctx) -> Result<u32> {
    let desk = &ctx.self_;
    desk.count.inc(2)?;
    desk.count.dec(1)?;
    desk.weight.inc(0.5)?;
    desk.log.push(to.clone())?;
    desk.queue.push(1)?;
    desk.best.inc(3)?;
    desk.points.insert(to.clone(), 1)?;
    desk.points.remove("nobody")?;
    desk.seen.insert(to.clone())?;
    desk.last.insert(to.clone(), Letter { to: to.clone(), kind })?;
    desk.update(|all| all.log.clear())?;
    assert_eq!(desk.modify(|all| all.queue.pop_front())?, Some(1));
    assert!(desk.name.set(String::new()).is_err());
    assert_eq!(desk.with(|all| all.name.len()), 4);
    ctx.request.visits.inc(1)?;
    ctx.session.visits.inc(1).await?;
    ctx.user.letters.push(to).await?;
    ctx.org.total.update(|total| *total += 1).await?;
    let fee = match kind {
        Sort::Plain => 0,
        Sort::Express { fee } => fee,
    };
    Ok(ctx.needs.postage.0 + fee + ctx.session.visits.get())
}

#[state]
pub struct Account {
    pub letters: Vec<String>,
}

#[state]
pub struct Office {
    pub total: u64,
}

#[block(handler, parent = Desk, sequencer = Desk, targets(post = Desk), description = "Notes a letter.")]
async fn note(letter: Letter, ctx: &Ctx) -> Result<Letter> {
    ctx.parent.count.inc(1)?;
    ctx.sequencer.count.inc(1)?;
    ctx.targets.post.count.inc(1)?;
    assert_eq!(ctx.path(), "post > note[0]");
    helper(ctx)?;
    Ok(letter)
}

fn helper(ctx: &Ctx<'_, note>) -> Result<bool> {
    add_one(&ctx.parent)
}

fn add_one(desk: &Local<'_, Desk>) -> Result<bool> {
    desk.count.inc(1)
}

#[block(handler, parent = Option<Desk>)]
fn lonely(_: (), ctx: Ctx) -> Result<bool, std::fmt::Error> {
    Ok(ctx.parent.is_none())
}

#[block(handler)]
async fn length(text: &str) -> Result<u32> {
    Ok(u32::try_from(text.len())?)
}

#[block(handler)]
async fn shout(text: String) -> Result<String, String> {
    Ok(text.to_uppercase())
}

#[block(handler)]
async fn fails(_: String) -> Result<u32> {
    Err(Error::with_code("no_luck", "no luck"))
}

/// By hand.
#[derive(Debug, Clone, Copy, Default, AsBlock)]
pub struct Twice;

impl Block for Twice {
    type Input = u32;
    type Output = u32;
    const HEAD: &'static Head = &Head::new("twice", Kind::Handler);

    async fn run(&self, input: u32, _: At<'_>) -> Result<u32> {
        Ok(input * 2)
    }
}

#[block(sequencer, state = Desk, name = "post")]
fn post_office(letters: Vec<Letter>) -> u32 {
    letters
        .for_each(note, max_concurrency = 1)
        .map(|letters| letters.into_iter().map(|letter| letter.to).collect::<Vec<_>>())
        .tap(|names, ctx| ctx.self_.log.set(names.clone()))
        .map(async |names, ctx| names.join("") + &ctx.self_.name.get())
        .parallel(Sides { left: length, right: shout })
        .try_map(|sides| u32::try_from(sides.right.len()).map(|len| len + sides.left).map_err(Error::from))
        .step_if(|n| *n > 0, Twice)
        .step(|n| n.to_string(), length)
        .do_until(Twice, |n| *n > 5, max_iterations = 9)
        .branch((|n| n + 1, |n| *n > 1000, Twice), Twice)
        .loop_back(Twice, when = |n| *n < 100, max_iterations = 2)
        .map(|n| n.to_string())
        .step_any([fails, length])
        .step_all([Twice, Twice])
        .map(|all| all[0])
        .race([Twice])
        .throw_if(|n| *n > 10_000, Error::msg("too much"))
        .exit_if(|n| *n == 0)
        .tap(Twice.connect_output(|n| n + 1))
}

#[block(sequencer, state = Desk, steps = [shout])]
async fn by_hand(texts: Vec<String>, ctx: Ctx) -> Result<u32> {
    let mut sum = 0;
    for text in texts.iter().cloned() {
        sum += ctx.step(length, text).await?;
    }
    let lengths = ctx.for_each(length, texts).max_concurrency(2).await?;
    let (a, b) = ctx.parallel((Twice, Twice.connect_input(|n: u32| n + 1)), sum).await?;
    let (loud, n) = tokio::try_join!(ctx.step(shout, "x".to_string()), ctx.step(length, "yy".to_string()))?;
    if ctx.step(fails, loud.clone()).await.is_err() {
        sum += u32::try_from(lengths.len() + loud.len())?;
    }
    Ok(sum + a + b + n + by_helper(&ctx).await?)
}

async fn by_helper(ctx: &Ctx<'_, by_hand>) -> Result<u32> {
    Ok(u32::try_from(ctx.step(shout, "abc".into()).await?.len())?)
}

/// How stamps are sold.
#[data]
#[derive(Default)]
pub struct Prices {
    pub stamp: u32,
    pub round: bool,
}

/// Sells stamps.
#[capability(state = Desk, session = Visits, config = Prices, presets(dear = off(|prices| prices.stamp = 9)), required = [round])]
pub struct Stamps;

#[capability]
impl Stamps {
    /// How many were sold.
    pub async fn sell(ctx: &Ctx, number: impl Into<u32>) -> Result<u32> {
        ctx.self_.count.inc(number.into())?;
        ctx.session.visits.inc(1).await?;
        Ok(ctx.self_.count.get() * ctx.config.stamp + Self::rounded(ctx))
    }

    fn rounded(ctx: &Ctx) -> u32 {
        u32::from(ctx.config.round)
    }
}

/// A family.
#[capability(timeout = "5s", retry(max = 2), visibility(client), uses = [Stamps.with(round = true)])]
pub struct Quick;

#[block(handler, uses = [Stamps.with(round = true), Quick])]
async fn sell(number: u32, ctx: Ctx) -> Result<u32> {
    ctx.cap.stamps.sell(number).await
}

#[block(handler, uses = [Stamps.with(round = false, dear = true, stamp = 10)], state = Desk)]
async fn sell_dear(number: u32, ctx: Ctx) -> Result<u32> {
    let sold = ctx.cap.stamps.sell(number).await?;
    Ok(sold + ctx.self_.count.get() + ctx.session.visits.get())
}

flow! {
    /// The post.
    #[flow(kind = "mail")]
    pub struct Mail {
        /// Weighs.
        pub weigh: weigh,
        #[action(description = "By hand.")]
        pub hand: by_hand,
        pub sell: sell,
        pub sell_dear: sell_dear,
    }
}

#[flowstate::flow]
struct Other {
    lonely: lonely,
}

#[tokio::main]
async fn main() -> Result<()> {
    let letter = || Letter { to: "ann".into(), kind: Sort::Express { fee: 7 } };
    assert!(flowstate::run(lonely, ()).await?);
    assert_eq!(flowstate::run(post_office, vec![letter()]).await?, 12);
    let app = App::builder().provide(Postage(80)).flow(Mail).flow(Other).build()?;
    let request = || app.request().session("s").user("u").org("o");
    assert_eq!(request().call(Mail::weigh, letter()).await?, 88);
    assert_eq!(request().call(Mail::weigh, letter()).await?, 89);
    assert_eq!(request().call(Mail::hand, vec!["a".into(), "bb".into()]).await?, 25);
    assert_eq!(app.request().call(Mail::sell, 2).await?, 1);
    assert_eq!(app.request().call(Mail::sell_dear, 2).await?, 23);
    assert!(app.request().call(Other::lonely, ()).await?);
    let error = flowstate::run(fails, String::new()).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("no_luck", "fails"));
    let tested = flowstate::test(note).parent(Desk::default()).sequencer(Desk::default()).run(letter()).await;
    assert_eq!(tested.unwrap_err().code(), "block_misplaced");
    println!("all as it should be");
    Ok(())
}
