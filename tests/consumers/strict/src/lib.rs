//! A library that forbids and denies what it can.
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    unused,
    unused_qualifications,
    unreachable_pub,
    missing_debug_implementations,
    single_use_lifetimes,
    unused_lifetimes,
    unused_results,
    explicit_outlives_requirements,
    let_underscore_drop,
    meta_variable_misuse,
    non_ascii_idents,
    redundant_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unused_extern_crates,
    unused_import_braces,
    clippy::all,
    clippy::pedantic
)]

use std::collections::{BTreeMap, BTreeSet};

use flowstate::block::{AsBlock, At};
use flowstate::prelude::*;
use flowstate::schema::{Head, Kind};

/// Seen by all.
#[state]
#[derive(PartialEq)]
pub struct Open {
    /// A number.
    pub count: u32,
    /// A share.
    #[state(default = 0.5)]
    pub share: f64,
    /// A name that is checked.
    #[state(validate = checks::short, default = String::from("x"))]
    pub name: String,
    /// By name.
    pub by_name: BTreeMap<String, u32>,
    /// Each once.
    pub set: BTreeSet<u32>,
    /// Only for this module.
    hidden: Option<Vec<u8>>,
    /// Only for this crate.
    #[state(transient)]
    pub(crate) near: Vec<u8>,
}

mod checks {
    pub(super) fn short(text: &str) -> Result<(), String> {
        if text.len() < 9 { Ok(()) } else { Err("long".to_owned()) }
    }
}

/// Seen in the crate.
#[state(key = "near")]
pub(crate) struct Near {
    pub(crate) count: u64,
}

#[state]
struct Own {
    own: i8,
}

/// In and out.
#[data]
#[derive(PartialEq)]
pub struct Pair {
    /// One.
    pub left: u32,
    /// Another.
    pub right: String,
}

/// One or the other.
#[data]
#[derive(PartialEq, Eq, Copy)]
pub enum Either {
    /// With a number.
    One(u32),
    /// Without.
    Other {
        /// Which.
        which: bool,
    },
}

#[data]
pub(crate) struct Inner(pub(crate) u32);

/// A service.
#[derive(Debug)]
pub struct Service(pub u32);

/// Takes whatever there is.
///
/// # Errors
/// Where a write is refused.
#[block(
    handler, state = [Open, Shut], parent = Near, sequencer = Near, targets(whole = Near, other = Option<Own>),
    request = Own, session = Own, user = Seen, org = Paid, needs = [Service]
)]
async fn everything(pair: Pair, ctx: Ctx) -> Result<u64> {
    let changed = ctx.self_.count.inc(pair.left)?;
    let pushed = ctx.self_.near.push(1)? | ctx.self_.hidden.push(2)?;
    let shut = ctx.self_.shut.set(changed && pushed)?;
    let far = ctx.parent.count.inc(1)?
        && ctx.sequencer.count.inc(1)?
        && ctx.targets.whole.count.inc(1)?;
    if let Some(other) = &ctx.targets.other {
        assert!(other.own.inc(1)?);
    }
    let kept = ctx.request.own.inc(1)? && ctx.session.own.inc(1).await?;
    let more = ctx.user.seen.inc(1).await? && ctx.org.paid.inc(1).await?;
    assert!(shut && far && kept && more && helper(&ctx.parent)?);
    Ok(ctx.targets.whole.count.get() + u64::from(ctx.needs.service.0))
}

/// A helper.
fn helper(near: &Local<'_, Near>) -> Result<bool> {
    near.count.inc(1)
}

/// Of the user.
#[state]
pub struct Seen {
    /// How often.
    pub seen: u32,
}

/// Of the organisation.
#[state]
pub struct Paid {
    /// How much.
    pub paid: u32,
}

#[state]
struct Shut {
    shut: bool,
}

/// Not async, and a reference.
#[block(handler)]
pub fn length(text: &str) -> Result<u32> {
    Ok(u32::try_from(text.len())?)
}

/// Without a context.
#[block(handler, name = "double the number")]
pub async fn double(number: u32) -> Result<u32> {
    Ok(number * 2)
}

/// A pattern.
#[block(handler)]
pub(crate) fn inner(Inner(number): Inner) -> Result<u32, String> {
    Ok(number)
}

#[block(handler)]
async fn fails(number: u32) -> Result<u32> {
    Err(Error::with_code("no", format!("not {number}")))
}

/// By hand.
#[derive(Debug, Clone, Copy, Default, AsBlock)]
pub struct Same;

impl Block for Same {
    type Input = u32;
    type Output = u32;
    const HEAD: &'static Head = &Head::new("same", Kind::Handler);
    async fn run(&self, input: u32, _: At<'_>) -> Result<u32> {
        Ok(input)
    }
}

#[block(sequencer, state = [Near, Own], name = "whole")]
fn whole(pairs: Vec<Pair>) -> u64 {
    pairs.for_each(everything, max_concurrency = 1).map(|all| all.iter().sum()).tap(|sum, ctx| {
        assert!(*sum > 0);
        ctx.self_.count.set(*sum)
    })
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what a condition is given
fn even(number: &u32) -> bool {
    number.is_multiple_of(2)
}

/// The whole chain.
#[block(sequencer, state = Own)]
pub fn chain(number: u32) -> u32 {
    number
        .step(double)
        .step(|number| number + 1, double)
        .step_if(even, double)
        .step_if(|number| *number > 1, |number| number - 1, double)
        .map(|number| number + 1)
        .map(async |number, ctx| number + u32::from(ctx.self_.own.get().unsigned_abs()))
        .try_map(|number| number.checked_add(1).ok_or_else(|| Error::msg("too much")))
        .tap(|number, _| assert!(*number > 0))
        .tap(async |_, ctx| ctx.self_.own.inc(1))
        .tap(double)
        .tap_if(even, double)
        .parallel((double, (|number| Inner(number), inner), Same), max_concurrency = 2)
        .parallel(Both { left: first, right: second })
        .map(|both| vec![both.left, both.right])
        .for_each(
            |number| if even(number) { Each::Double } else { Each::Other },
            blocks = [double, other = Same],
        )
        .for_each(double)
        .map(|all| all[0])
        .do_until(double, |number| *number > 100, max_iterations = 20)
        .do_while(Same, |number| *number < 100)
        .branch((even, double), (|number| number + 1, |number| *number > 9, Same), fails)
        .step_all([double, Same])
        .map(|all| all[1])
        .step_any([fails, double])
        .race([Same, fails], max_concurrency = 1)
        .loop_back(double, when = even, max_iterations = 0)
        .throw_if(|number| *number == 1, |number| Error::msg(format!("{number}")))
        .exit_if(|number| *number == 2)
        .step(double, abort_signal = |_| std::future::pending(), on_settled = |_, _| {})
        .step_if(even, double, abort_signal = |ctx| ctx.signal())
        .wait_for_condition(
            |items| items.is_empty(),
            timeout = "1ms",
            wake_on = |item, _| item.is_final(),
        )
        .map(
            |(number, waited), ctx| {
                if waited.timed_out { number } else { ctx.output_of(double).unwrap_or_default() }
            },
        )
        .step(double.connect_output(|number| number + 1))
}

/// Both.
#[data]
struct Both {
    left: u32,
    right: u32,
}

#[block(handler)]
async fn first(all: (u32, u32, u32)) -> Result<u32> {
    Ok(all.0)
}

#[block(handler)]
async fn second((_, second, _): (u32, u32, u32)) -> Result<u32> {
    Ok(second)
}

/// Plain Rust.
///
/// # Errors
/// Never, as it happens.
#[block(sequencer, state = Near, steps = [length])]
pub async fn written(numbers: Vec<u32>, ctx: Ctx) -> Result<u32> {
    let mut sum = 0;
    for number in &numbers {
        sum += ctx.step(double, *number).await?;
    }
    let all = ctx.for_each(Same, numbers).max_concurrency(2).await?;
    let (a, b) = ctx.parallel((double, Same), sum).await?;
    if all.is_empty() {
        return ctx.step(again(written), vec![1]).await;
    }
    Ok(a + b + words("a word", &ctx).await?)
}

async fn words(text: &str, ctx: &Ctx<'_, written>) -> Result<u32> {
    ctx.step(length, text.to_owned()).await
}

/// Deprecated, and used by nothing else.
#[block(handler, parent = Old)]
#[allow(deprecated)]
#[deprecated = "use `double`"]
pub async fn old(number: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.old.set(number).map(|_| number)
}

/// Deprecated, too.
#[block(sequencer, state = Old)]
#[deprecated(since = "0.1.0", note = "use `chain`")]
#[allow(deprecated)]
pub fn old_chain(number: u32) -> u32 {
    number.step(old).tap(|_, ctx| assert!(ctx.self_.old.get() > 0))
}

#[allow(deprecated)]
pub use former::Old;

#[allow(deprecated)]
mod former {
    // the derive of `schemars` names the type, and does not say that it may
    use super::state;

    /// Deprecated, too.
    #[state]
    #[deprecated]
    pub struct Old {
        /// And so is this.
        #[deprecated]
        pub old: u32,
    }
}

/// One or the other, and with state.
///
/// # Errors
/// Never.
#[block(router, routes = [double, Same, other = double.connect_input(|number: u32| number + 1)], state = [Open, Own], user = Seen)]
pub async fn pick(number: &u32, ctx: Ctx) -> Result<Route> {
    let seen = ctx.self_.count.get() + ctx.user.seen.get();
    Ok(if *number > seen { Route::Double } else { Route::Same })
}

/// Asks, with tools and state.
///
/// # Errors
/// The model's.
#[block(generator, model = "intent/chat", tools = [double, Same, other = double.connect_input(|number: u32| number + 1)], state = [Open, Own], user = Seen, visibility(client))]
pub async fn ask(number: &u32, ctx: Ctx) -> Result<Prompt<u32>> {
    let seen = ctx.self_.count.get() + ctx.user.seen.get();
    Ok(Prompt::system(seen.to_string()).user(number.to_string()).tools([Tool::Double, Tool::Same]))
}

#[block(generator, model = "intent/chat")]
async fn unheard(_: u32) -> Result<Prompt> {
    Ok(Prompt::default())
}

#[block(router, routes = [pick])]
async fn unseen(_: u32) -> Result<Route> {
    Ok(Route::Pick)
}

flow! {
    /// What there is.
    #[derive(PartialEq)]
    #[flow(kind = "strict")]
    pub struct Strict {
        /// All.
        pub whole: whole,
        /// Chained.
        pub chain: chain,
        pub(crate) written: written,
        private: length,
        #[internal(token_budget = 100)]
        woken: length,
        /// Worked on.
        #[task]
        pub work: length,
        /// Picked.
        pub pick: pick,
        unseen: unseen,
        /// Asked.
        pub ask: ask,
        unheard: unheard,
        ask_with: ask_with,
        ask_controlled: ask_controlled,
    }
}

/// How it counts.
#[data]
#[derive(Default)]
pub struct Counting {
    /// By how much.
    pub by: u32,
    /// Whether at all.
    pub counts: bool,
}

impl Counting {
    fn fast(&mut self) {
        self.by += 10;
    }
}

/// Counts, openly.
#[capability(
    state = Open, session = Seen, config = Counting, presets(fast = off(Counting::fast)), required = [counts],
    targets(whole = Option<Near>), name = "counter"
)]
#[derive(Debug)]
pub struct Counts;

#[capability]
impl Counts {
    /// The most.
    pub const MOST: u32 = 100;

    /// Counts.
    ///
    /// # Errors
    /// Where a write is refused.
    ///
    /// # Panics
    /// Where it does not count.
    #[must_use = "it may be refused"]
    pub fn count(ctx: &Ctx, number: u32) -> Result<u32> {
        let changed = ctx.self_.count.inc(number.min(Self::MOST) * ctx.config.by)?;
        assert!(changed && ctx.config.counts && ctx.targets.whole.is_none());
        Ok(Self::of(ctx))
    }

    /// Not only itself.
    ///
    /// # Errors
    /// Where a write is refused.
    ///
    /// # Panics
    /// Where nothing is seen.
    pub async fn seen(ctx: &Ctx, (by, _): (u32, &str)) -> Result<u32> {
        let changed = ctx.session.seen.inc(by).await?;
        assert!(changed);
        Ok(ctx.session.seen.get())
    }

    fn of(ctx: &Ctx) -> u32 {
        ctx.self_.count.get()
    }
}

/// Only for this crate, with what it uses.
#[capability(uses = [Counts.with(by = 2, counts = true)], timeout = "5s", retry(max = 2), visibility(client), transient)]
#[derive(Debug)]
pub(crate) struct Family;

#[capability]
impl Family {
    fn counted(ctx: &Ctx) -> Result<u32> {
        ctx.cap.counter.count(1)
    }
}

/// Where it writes.
#[derive(Debug, Default)]
pub struct Writing {
    /// How much is added.
    pub more: u32,
}

#[block(handler)]
async fn add(number: u32, #[config] more: u32) -> Result<u32> {
    Ok(number + more)
}

/// Writes, by tools.
#[capability(
    state = Open, config = Writing, tools = [double, Same, added = add(config.more)],
    control_tools = [last = double.connect_input(|number: u32| number + 1)], offered = Self::offered,
    context(open = Self::open, later = Self::later), model = Self::model
)]
#[derive(Debug)]
pub struct Writes;

#[capability]
impl Writes {
    fn offered(ctx: &Ctx) -> Vec<WritesTool> {
        if ctx.config.more > 1 {
            vec![WritesTool::Double]
        } else {
            vec![WritesTool::Same, WritesTool::Added]
        }
    }

    fn open(ctx: &Ctx) -> u32 {
        ctx.self_.count.get()
    }

    async fn later(ctx: &Ctx) -> Result<Option<&'static str>> {
        Ok((ctx.config.more > 0).then_some("more"))
    }

    fn model(_: &Ctx) -> &'static str {
        "intent/chat"
    }
}

/// Only control, and a model by its name.
#[capability(control_tools = [double], model = ["a", "b"], uses = [Writes])]
#[derive(Debug)]
pub(crate) struct Controls;

/// Asks with tools of a capability.
///
/// # Errors
/// The model's.
#[block(generator, uses = [Writes.with(more = 2)], user = Seen)]
pub async fn ask_with(number: &u32, ctx: Ctx) -> Result<Prompt<u32>> {
    let seen = ctx.self_.count.get() + ctx.user.seen.get();
    Ok(Prompt::system(seen.to_string()).user(number.to_string()).tools([WritesTool::Double]))
}

#[block(generator, model = "m", uses = [Controls], tools = [Same])]
async fn ask_controlled(_: u32) -> Result<Prompt> {
    Ok(Prompt::default().tools([Tool::Same]))
}

/// Of the family.
#[block(handler, uses = [Family, Counts.with(by = 2, counts = true)], state = Own)]
async fn of_family(number: u32, ctx: Ctx) -> Result<u32> {
    let own = ctx.self_.own.inc(1)?;
    assert!(own);
    Ok(number + ctx.cap.family.counted()? + ctx.cap.counter.seen((3, "x")).await?)
}

/// Seen by all.
///
/// # Errors
/// Where a write is refused.
#[block(sequencer, uses = [Counts.with(fast = true, counts = true)])]
pub async fn fast(number: u32, ctx: Ctx) -> Result<u32> {
    let number = ctx.step(of_family, number).await?;
    Ok(number + ctx.cap.counter.count(1)?)
}

/// A chain.
#[block(sequencer, uses = [Family])]
fn chain_of_family(number: u32) -> u32 {
    number.step(of_family).try_map(|number, ctx| Ok(number + ctx.cap.family.counted()?))
}

async fn capabilities() -> Result<()> {
    assert_eq!(flowstate::run(fast, 1).await?, 16);
    assert_eq!(flowstate::run(chain_of_family, 1).await?, 8);
    Ok(())
}

/// Runs all of it.
///
/// # Errors
/// Where a block fails.
///
/// # Panics
/// Where something is not as it should be.
pub async fn all() -> Result<()> {
    capabilities().await?;
    let app = App::builder()
        .model(flowstate::model::ScriptedModel::new([]))
        .provide(Service(1))
        .flow(Strict)
        .build()?;
    let pair = Pair { left: 1, right: "r".to_owned() };
    let request = || app.request().user("ann");
    assert_eq!(request().call(Strict::whole, vec![pair]).await?, 5);
    assert!(request().call(Strict::chain, 3).await? > 0);
    assert_eq!(request().call(Strict::written, vec![]).await?, 12);
    assert_eq!(
        request().call(Strict::pick, 2).await? + request().call(Strict::unseen, 2).await?,
        8
    );
    assert_eq!(request().call(Strict::private, "four".to_owned()).await?, 4);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_in_a_function() {
        #[state]
        struct Inside {
            value: u8,
        }
        #[block(handler, state = Inside)]
        async fn here(value: u8, ctx: Ctx) -> Result<bool> {
            ctx.self_.value.set(value)
        }
        assert_eq!(here().head_name(), "here");
    }

    trait Name: Block {
        fn head_name(&self) -> &'static str {
            Self::HEAD.name
        }
    }
    impl<B: Block> Name for B {}
}

/// What is kept of a visitor.
#[state]
pub struct Visitor {
    /// What they said.
    pub notes: Vec<String>,
    /// Only for this module.
    seen: u32,
}

#[contract(version = 2, scope = user)]
impl Visitor {
    /// Notes something.
    #[reducer]
    fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    #[reducer]
    fn see(&mut self, times: Times, (more, most): (u32, u32)) -> Result<(), String> {
        self.seen += times.0 + more.min(most);
        Ok(())
    }

    #[reader]
    fn brief(&self) -> String {
        format!("{} notes, seen {}", self.notes.len(), self.seen)
    }

    #[reader]
    fn full(&self, budget: u32) -> String {
        if budget < 9 { self.brief() } else { self.notes.join(" ") }
    }

    #[validate]
    fn check(&self) -> Result<(), String> {
        if self.seen > 9 { Err("seen: too often".to_owned()) } else { Ok(()) }
    }

    #[migrate(from = 1)]
    fn first(stored: flowstate::contract::Json) -> flowstate::contract::Json {
        stored
    }

    #[repair]
    fn repair(stored: flowstate::contract::Json) -> flowstate::contract::Json {
        stored
    }
}

/// Private, and the argument of a reducer.
#[derive(Clone)]
struct Times(u32);

/// Greets a visitor.
#[block(
    handler, reads = [Visitor::brief(budget = 20), Visitor::full(unlimited)], writes = [Visitor],
    feeds = [Visitor::note(|text: &String| Some(text.clone()))],
)]
pub async fn greet(name: String, ctx: Ctx) -> Result<String> {
    let visitor = &ctx.writes.visitor;
    let _: bool = visitor.note(name.clone()).await?;
    let _: bool = visitor.batch().see(Times(1), (2, 3)).note(name).commit().await?;
    Ok([ctx.reads.visitor.brief().await?, ctx.reads.visitor.full().await?].join(": "))
}

/// Asks about a visitor.
#[block(generator, model = "intent/chat", tools = [greet], reads = [Visitor::full(budget = 20)], writes = [Visitor])]
pub async fn ask_of(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Be brief.").user(question))
}

/// Two beside each other, one of which writes.
#[block(sequencer, reads = [Visitor::brief(budget = 20)])]
pub fn greet_and_listen(name: String) -> (String, String) {
    name.parallel((greet, listen))
}

/// Looks at a visitor.
#[block(handler, reads = [Visitor::brief(budget = 20)])]
pub async fn listen(_: String, ctx: Ctx) -> Result<String> {
    ctx.reads.visitor.brief().await
}

macro_rules! kept {
    ($name:ident) => {
        #[state]
        struct $name {
            left: u32,
        }
    };
}
kept!(Kept);

/// Reads a state that a macro declares.
#[block(handler, state = Kept)]
pub async fn is_left(_: u32) -> Result<u32> {
    Ok(Kept::default().left)
}

/// Was a capability.
#[deprecated]
#[capability]
#[derive(Debug)]
pub struct OldBook;

flow! {
    /// Was a flow.
    #[deprecated]
    pub struct OldFlow {
        /// Is left.
        #[action]
        pub is_left: is_left,
    }
}
