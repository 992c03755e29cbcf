//! What a capability brings to the block that uses it.
//!
//! The lines of `semantics/state-and-capabilities.md` §4, and where each is shown (ui = `ui-tests/tests/fail`):
//!
//! | line | shown by |
//! |---|---|
//! | S1 | ui `address/self_without_state`; with `uses` alone: ui `capability/field_unknown` |
//! | S2, Q1, Q2 | every test here reads `ctx.self_.field.get()` without a cast; `chain.rs`, `state_ops.rs` |
//! | S3, S5 | ui `address/parent_undeclared`, `address/field_unknown` |
//! | S4 | `address.rs` (`parent = Option<S>`); required parents are proven instead |
//! | S6 | [`the_fields_of_all_capabilities_are_flat_in_self`] |
//! | S7 | ui `capability/nested_is_not_forwarded`; presets and configs bring no state at all |
//! | S8 | routers: ui `router` |
//! | S9 | ui `capability/two_schemas*` |
//! | S10 | [`a_sequencer_holds_what_its_capability_brings`]: typed here |
//! | Q3, Q5 | no untyped handles exist |
//! | Q4, G1 | `address.rs` (`Option<S>` where it may be absent) |
//! | G2, C7 | [`targets_and_sequencer_states_are_forwarded`] |
//! | G3 | ui `address/optional_parent_used_plainly` |
//! | C1, C4 | [`functions_are_called_by_the_name_of_their_capability`], ui `capability/argument_of_another_type` |
//! | C2 | ui `capability/no_cap_without_uses` |
//! | C3 | [`a_capability_without_functions_has_its_name`] |
//! | C5 | [`session_fields_of_several_capabilities_combine`] |
//! | C6 | ui `capability/field_unknown` (a capability without session state adds none) |
//! | C8 | [`a_configured_capability_brings_the_same`] |
//! | C9, C10 | there are no overrides of types: a type is a schema |
//! | C11, F1, F2, F4, W1, W2 | [`presets_come_before_fields`], [`each_use_has_its_configuration`], ui `capability/config_*`, `capability/preset_*` |
//! | F3 | ui `capability/config_of_none` |
//! | B1 to B3 | flows: no such members exist on a context |
//! | V1 to V3 | `state_ops.rs`, ui `state/*` |
//! | U1, U2 | closures are synchronous by type |
//! | L1, L3 | `generators.rs`; what a capability brings to them (§3, lines *context*, *tools*, *controlTools*, *model* and 9): `capability_tools.rs`, ui `capability/tool_*`, `capability/context_*`, `capability/offered_*`, `capability/two_*`, `generator/two_models_of_capabilities` |
//! | L2 | [`session_fields_of_several_capabilities_combine`] |
//! | L4 | blocks have no `run` of their own: ui `block/run_by_hand` |

use flowstate::prelude::*;

#[state]
struct Skills {
    pub active: Vec<String>,
}

#[state]
struct Budget {
    #[state(default = 10)]
    pub left: i64,
}

#[state]
struct Profile {
    pub language: String,
}

#[state]
struct Visits {
    pub visits: u32,
}

#[state]
struct Draft {
    pub text: String,
}

/// Switches skills on and off.
#[capability(state = Skills, session = Profile)]
struct SkillBook;

#[capability]
impl SkillBook {
    const MOST: usize = 3;

    /// Switches one on; `false` where it was already.
    fn activate(ctx: &Ctx, id: &str) -> Result<bool> {
        if ctx.self_.active.with(|all| all.iter().any(|known| known == id)) {
            return Ok(false);
        }
        if Self::full(ctx) {
            return Err(Error::with_code("too_many_skills", Self::text(Self::MOST)));
        }
        ctx.self_.active.push(id.to_owned())
    }

    fn full(ctx: &Ctx) -> bool {
        ctx.self_.active.with(Vec::len) >= Self::MOST
    }

    fn text(most: usize) -> String {
        format!("at most {most} skills")
    }

    const fn most() -> usize {
        Self::MOST
    }

    async fn first(names: &str) -> std::borrow::Cow<'_, str> {
        names.split(',').next().unwrap_or_default().into()
    }

    async fn speak(ctx: &Ctx, language: impl Into<String>) -> Result<String> {
        ctx.session.language.set(language.into()).await?;
        tokio::task::yield_now().await;
        Ok(ctx.session.language.get())
    }

    fn both<T: std::fmt::Display>(ctx: &Ctx, (a, b): (T, T)) -> String {
        format!("{a}{b} of {}", ctx.block())
    }
}

/// Counts down.
#[capability(state = Budget, user = Visits)]
struct Purse;

#[capability]
impl Purse {
    pub(crate) fn pay(ctx: &Ctx, amount: i64) -> Result<i64> {
        ctx.self_.left.dec(amount)?;
        Ok(ctx.self_.left.get())
    }
}

/// Nothing of its own.
#[capability(name = "plain_one")]
struct Plain;

#[block(handler, state = Draft, uses = [SkillBook, Purse, Plain])]
async fn everything(input: String, ctx: Ctx) -> Result<(String, Vec<String>, i64)> {
    ctx.self_.text.set(input.clone())?;
    assert!(ctx.cap.skill_book.activate(&input)?);
    assert!(!ctx.cap.skill_book.activate(&input)?);
    ctx.self_.active.push("direct".into())?;
    ctx.cap.purse.pay(3)?;
    ctx.self_.left.dec(1)?;
    assert_eq!(ctx.cap.skill_book.both((1, 2)), "12 of everything");
    let _: &Api_Plain<'_> = &ctx.cap.plain_one;
    Ok((ctx.self_.text.get(), ctx.self_.active.get(), ctx.self_.left.get()))
}

#[tokio::test]
async fn the_fields_of_all_capabilities_are_flat_in_self() {
    let output = flowstate::run(everything, "a".to_string()).await.unwrap();
    assert_eq!(output, ("a".to_string(), vec!["a".to_string(), "direct".into()], 6));
}

#[block(handler, uses = [SkillBook])]
async fn fill(input: u32, ctx: Ctx) -> Result<u32> {
    for i in 0..input {
        ctx.cap.skill_book.activate(&i.to_string())?;
    }
    Ok(input)
}

#[tokio::test]
async fn functions_are_called_by_the_name_of_their_capability() {
    assert_eq!(flowstate::run(fill, 3).await.unwrap(), 3);
    let error = flowstate::run(fill, 4).await.unwrap_err();
    assert_eq!(error.code(), "too_many_skills");
    assert_eq!(error.block(), Some("fill"));
}

#[block(handler, uses = [SkillBook])]
async fn without_context(input: String, ctx: Ctx) -> Result<(String, usize, String)> {
    let first = {
        let book = ctx.cap.skill_book;
        book.first(&input).await
    };
    Ok((ctx.cap.skill_book.text(1), ctx.cap.skill_book.most(), first.into_owned()))
}

#[tokio::test]
async fn functions_without_a_context_are_called_in_the_same_way() {
    let output = flowstate::run(without_context, "a,b".to_string()).await.unwrap();
    assert_eq!(output, ("at most 1 skills".to_string(), 3, "a".to_string()));
}

#[tokio::test]
async fn a_capability_without_functions_has_its_name() {
    assert_eq!(format!("{:?}", flowstate::run(named, ()).await.unwrap()), "\"Plain\"");
}

#[block(handler, uses = [Plain])]
async fn named(_: (), ctx: Ctx) -> Result<String> {
    Ok(format!("{:?}", ctx.cap.plain_one))
}

#[block(handler, session = Draft, uses = [SkillBook, Purse])]
async fn remember(input: String, ctx: Ctx) -> Result<(String, String, u32)> {
    ctx.session.text.set(input.clone()).await?;
    let language = ctx.cap.skill_book.speak(input).await?;
    ctx.user.visits.inc(1).await?;
    assert_eq!(language, ctx.session.language.get());
    Ok((ctx.session.text.get(), ctx.session.language.get(), ctx.user.visits.get()))
}

#[tokio::test]
async fn session_fields_of_several_capabilities_combine() {
    flow! {
        #[flow(kind = "remember")]
        struct Remember { pub say: remember }
    }
    let app = App::builder().flow(Remember).build().unwrap();
    let call =
        |text: &str| app.request().session("s").user("u").call(Remember::say, text.to_string());
    assert_eq!(call("en").await.unwrap(), ("en".into(), "en".into(), 1));
    assert_eq!(call("nl").await.unwrap(), ("nl".into(), "nl".into(), 2));
}

/// The same state as [`SkillBook`]: one container.
#[capability(state = Skills)]
struct Audit;

#[capability]
impl Audit {
    fn count(ctx: &Ctx) -> usize {
        ctx.self_.active.with(Vec::len)
    }
}

#[block(handler, state = Skills, uses = [SkillBook, Audit])]
async fn shared(input: String, ctx: Ctx) -> Result<usize> {
    ctx.cap.skill_book.activate(&input)?;
    ctx.self_.active.push("own".into())?;
    Ok(ctx.cap.audit.count())
}

#[tokio::test]
async fn one_state_type_is_one_container_whoever_brings_it() {
    let tested = flowstate::test(shared).run("a".into()).await.unwrap();
    assert_eq!(tested.output, 2);
}

/// Uses another one; blocks that use it see what it lists, and not what is below.
#[capability(state = Budget, uses = [SkillBook])]
struct Trainer;

#[capability]
impl Trainer {
    fn train(ctx: &Ctx, id: &str) -> Result<usize> {
        ctx.cap.skill_book.activate(id)?;
        ctx.self_.left.dec(1)?;
        Ok(ctx.self_.active.with(Vec::len))
    }
}

/// The other way to the same one.
#[capability(uses = [SkillBook, Audit])]
struct Coach;

#[capability]
impl Coach {
    fn report(ctx: &Ctx) -> String {
        format!("{} by {}", ctx.cap.audit.count(), ctx.block())
    }
}

#[block(handler, uses = [Trainer, Coach])]
async fn diamond(input: String, ctx: Ctx) -> Result<(usize, String, i64)> {
    let trained = ctx.cap.trainer.train(&input)?;
    Ok((trained, ctx.cap.coach.report(), ctx.self_.left.get()))
}

#[tokio::test]
async fn nested_capabilities_work_on_the_containers_of_the_block() {
    let output = flowstate::run(diamond, "a".into()).await.unwrap();
    assert_eq!(output, (1, "1 by diamond".into(), 9));
}

#[block(handler, parent = Skills)]
async fn child(input: String, ctx: Ctx) -> Result<String> {
    ctx.parent.active.push(input.clone())?;
    Ok(input)
}

/// Holds `Skills` through a capability of a capability.
#[block(sequencer, uses = [Trainer])]
fn school(input: String) -> String {
    input
        .step(child)
        .tap(|_, ctx| ctx.cap.trainer.train("own").map(|_| ()))
        .step(child)
        .map(|value, ctx| format!("{value}: {}", ctx.self_.left.get()))
}

#[block(sequencer, uses = [SkillBook])]
async fn written(input: String, ctx: Ctx) -> Result<Vec<String>> {
    ctx.step(child, input).await?;
    ctx.cap.skill_book.activate("own")?;
    Ok(ctx.self_.active.get())
}

#[tokio::test]
async fn a_sequencer_holds_what_its_capability_brings() {
    assert_eq!(flowstate::run(school, "a".into()).await.unwrap(), "a: 9");
    assert_eq!(flowstate::run(written, "a".into()).await.unwrap(), ["a", "own"]);
}

/// Each dispatch of a block has capabilities of its own, an ancestor's are never seen.
#[block(sequencer, uses = [SkillBook])]
fn nested(input: String) -> usize {
    input.tap(|_, ctx| ctx.cap.skill_book.activate("outer").map(|_| ())).step(shared).step(seen)
}

#[block(handler, uses = [Audit])]
async fn seen(input: usize, ctx: Ctx) -> Result<usize> {
    assert_eq!(ctx.cap.audit.count(), 0);
    Ok(input)
}

#[tokio::test]
async fn functions_see_the_block_that_calls_them_and_no_ancestor() {
    assert_eq!(flowstate::run(nested, "a".into()).await.unwrap(), 2);
}

/// Reads around the block.
#[capability(sequencer = Budget, targets(top = Draft, other = Option<Draft>))]
struct Around;

#[capability]
impl Around {
    fn look(ctx: &Ctx) -> String {
        let other = ctx.targets.other.is_some();
        format!("{} {} {other}", ctx.sequencer.left.get(), ctx.targets.top.text.get())
    }
}

#[block(handler, uses = [Around], targets(middle = Budget))]
async fn inside(_: (), ctx: Ctx) -> Result<String> {
    assert_eq!(ctx.targets.middle.left.get(), ctx.sequencer.left.get());
    assert_eq!(ctx.targets.top.text.get(), "top");
    assert!(ctx.targets.other.is_none());
    Ok(ctx.cap.around.look())
}

#[block(sequencer, state = Budget)]
fn middle(input: ()) -> String {
    input.step(inside)
}

#[block(sequencer, state = Draft)]
fn top(input: ()) -> String {
    input.tap(|(), ctx| ctx.self_.text.set("top".into())).step(middle)
}

#[tokio::test]
async fn targets_and_sequencer_states_are_forwarded() {
    assert_eq!(flowstate::run(top, ()).await.unwrap(), "10 top false");
}

#[tokio::test]
async fn what_a_capability_reads_is_checked_like_what_a_block_reads() {
    let error = flowstate::run(middle, ()).await.unwrap_err();
    assert_eq!(error.code(), "block_misplaced");
    let text = error.to_string();
    assert!(text.contains("`inside` (capability `Around`) reads `Draft`"), "{text}");
}

/// A sequencer counts for its own capability.
#[block(sequencer, state = Budget, uses = [Purse, Reader])]
fn own_sequencer(input: ()) -> i64 {
    input.map(|(), ctx| ctx.sequencer.left.get() + ctx.cap.reader.left())
}

#[capability(sequencer = [Budget])]
struct Reader;

#[capability]
impl Reader {
    fn left(ctx: &Ctx) -> i64 {
        ctx.sequencer.left.get()
    }
}

#[tokio::test]
async fn a_sequencer_counts_for_its_own_capability() {
    assert_eq!(flowstate::run(own_sequencer, ()).await.unwrap(), 20);
}

/// One of its two states is its own, the other is further out.
#[block(sequencer, state = Draft, sequencer = [Draft, Budget])]
fn split(input: ()) -> i64 {
    input.map(|(), ctx| {
        assert_eq!(ctx.sequencer.text.get(), "");
        ctx.sequencer.left.get()
    })
}

#[block(sequencer, state = Budget)]
fn around_split(input: ()) -> i64 {
    input.step(split)
}

#[tokio::test]
async fn each_state_is_in_the_nearest_sequencer_that_holds_it() {
    assert_eq!(flowstate::run(around_split, ()).await.unwrap(), 10);
}

/// How search works.
#[data]
#[derive(Default)]
struct SearchConfig {
    pub limit: u32,
    pub sites: Vec<String>,
    pub exact: bool,
}

impl SearchConfig {
    fn careful(&mut self) {
        self.limit = 1;
        self.exact = true;
    }
}

#[capability(
    config = SearchConfig,
    presets(careful = on(SearchConfig::careful), local = off(|config| config.sites.push("here".into()))),
)]
struct Search;

#[capability]
impl Search {
    fn shown(ctx: &Ctx) -> String {
        let SearchConfig { limit, sites, exact } = ctx.config;
        format!("{limit} {sites:?} {exact}")
    }
}

#[block(handler, uses = [Search])]
async fn by_default(_: (), ctx: Ctx) -> Result<String> {
    Ok(ctx.cap.search.shown())
}

#[block(handler, uses = [Search.with(limit = 5, local = true)])]
async fn wider(_: (), ctx: Ctx) -> Result<String> {
    Ok(ctx.cap.search.shown())
}

#[block(handler, uses = [Search.with(careful = false, sites = vec!["a".to_string()])])]
async fn careless(_: (), ctx: Ctx) -> Result<String> {
    Ok(ctx.cap.search.shown())
}

#[block(handler, uses = [Search.with(exact = false)])]
async fn inexact(_: (), ctx: Ctx) -> Result<String> {
    Ok(ctx.cap.search.shown())
}

#[tokio::test]
async fn presets_come_before_fields() {
    assert_eq!(flowstate::run(by_default, ()).await.unwrap(), "1 [] true");
    assert_eq!(flowstate::run(wider, ()).await.unwrap(), "5 [\"here\"] true");
    assert_eq!(flowstate::run(careless, ()).await.unwrap(), "0 [\"a\"] false");
    assert_eq!(flowstate::run(inexact, ()).await.unwrap(), "1 [] false");
}

static MADE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

fn count_up() -> u32 {
    MADE.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 100
}

/// Configures what it uses.
#[capability(uses = [Search.with(limit = count_up())])]
struct Library;

#[capability]
impl Library {
    fn shown(ctx: &Ctx) -> String {
        ctx.cap.search.shown()
    }
}

#[block(handler, uses = [Library])]
async fn reader(_: (), ctx: Ctx) -> Result<String> {
    Ok(ctx.cap.library.shown())
}

/// A second use with the same words is a second value.
#[block(handler, uses = [Search.with(limit = count_up())])]
async fn other_reader(_: (), ctx: Ctx) -> Result<String> {
    Ok(ctx.cap.search.shown())
}

#[tokio::test]
async fn each_use_has_its_configuration() {
    let first = flowstate::run(reader, ()).await.unwrap();
    assert_eq!(first, flowstate::run(reader, ()).await.unwrap());
    assert_eq!(
        flowstate::run(other_reader, ()).await.unwrap(),
        flowstate::run(other_reader, ()).await.unwrap(),
    );
    assert_eq!(MADE.load(std::sync::atomic::Ordering::SeqCst), 2);
}

/// A plain struct, with a function pointer and a field that must be given.
#[derive(Default)]
struct Scale {
    by: Option<fn(u32) -> u32>,
    key: String,
}

#[capability(state = Budget, config = Scale, required = [key])]
struct Scaled;

#[capability]
impl Scaled {
    fn scale(ctx: &Ctx, n: u32) -> String {
        format!("{} {}", ctx.config.key, ctx.config.by.map_or(n, |by| by(n)))
    }
}

fn double(n: u32) -> u32 {
    n * 2
}

#[block(handler, uses = [Scaled.with(key = "k".into(), by = Some(double))])]
async fn scaled(input: u32, ctx: Ctx) -> Result<(String, i64)> {
    Ok((ctx.cap.scaled.scale(input), ctx.self_.left.get()))
}

#[tokio::test]
async fn a_configured_capability_brings_the_same() {
    assert_eq!(flowstate::run(scaled, 4).await.unwrap(), ("k 8".to_string(), 10));
}

/// A helper for the context of a capability, and one for any block's.
fn outside(ctx: &Ctx<'_, SkillBook>) -> usize {
    ctx.self_.active.with(Vec::len)
}

#[capability(uses = [SkillBook])]
struct Helped;

mod elsewhere {
    use super::*;

    #[capability]
    impl Helped {
        pub(crate) fn twice(ctx: &Ctx, n: u32) -> Self_ {
            let _ = ctx.cap.skill_book.activate("x");
            n * 2 + u32::try_from(ctx.self_.active.with(Vec::len)).unwrap_or_default()
        }
    }

    type Self_ = u32;
}

#[capability]
impl SkillBook {
    fn counted(ctx: &Ctx) -> usize {
        outside(ctx)
    }
}

#[block(handler, uses = [Helped, SkillBook])]
async fn helped(input: u32, ctx: Ctx) -> Result<(u32, usize)> {
    Ok((ctx.cap.helped.twice(input), ctx.cap.skill_book.counted()))
}

#[tokio::test]
async fn functions_may_stand_in_several_impls_and_modules() {
    assert_eq!(flowstate::run(helped, 2).await.unwrap(), (5, 1));
}

#[block(sequencer, state = Draft)]
fn adapters(input: String) -> usize {
    input.step(shared.connect_input(|text: String| text + "!")).step(seen.connect_output(|n| n + 1))
}

#[tokio::test]
async fn an_adapted_block_keeps_its_capabilities() {
    assert_eq!(flowstate::run(adapters, "a".into()).await.unwrap(), 3);
}

/// A family whose configuration says how it is tried.
#[derive(Default)]
struct Pace {
    most: u32,
    wait: Option<std::time::Duration>,
}

#[capability(config = Pace, timeout = config.wait, retry(max = config.most, base = "10ms"))]
struct Paced;

#[block(handler, request = Tries, uses = [Paced.with(most = 2)])]
async fn paced(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.request.tries.inc(1)?;
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    if ctx.request.tries.get() < input { Err(Again.into()) } else { Ok(ctx.request.tries.get()) }
}

#[block(handler, uses = [Paced.with(wait = Some(std::time::Duration::from_secs(1)))])]
async fn hurried(input: u32) -> Result<u32> {
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    Ok(input)
}

#[block(handler, request = Tries, uses = [Paced.with(most = 2), Patient])]
async fn first_of_two(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.request.tries.inc(1)?;
    if ctx.request.tries.get() < input { Err(Again.into()) } else { Ok(ctx.request.tries.get()) }
}

#[tokio::test(start_paused = true)]
async fn the_configuration_may_say_how_blocks_are_tried() {
    assert_eq!(flowstate::run(paced, 2).await.unwrap(), 2);
    assert_eq!(flowstate::run(paced, 3).await.unwrap_err().block(), Some("paced"));
    assert_eq!(flowstate::run(hurried, 1).await.unwrap_err().code(), "timeout");
    assert_eq!(flowstate::run(first_of_two, 2).await.unwrap(), 2);
    assert_eq!(flowstate::run(first_of_two, 3).await.unwrap_err().block(), Some("first_of_two"));
}

/// What a family of blocks shares.
#[capability(timeout = "1s", retry(max = 3, base = "10ms"), visibility(history))]
struct Patient;

#[derive(Debug, thiserror::Error)]
#[error("again")]
struct Again;

#[state]
struct Tries {
    tries: u32,
}

#[block(handler, request = Tries, uses = [Patient])]
async fn flaky(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.request.tries.inc(1)?;
    if ctx.request.tries.get() < input { Err(Again.into()) } else { Ok(ctx.request.tries.get()) }
}

#[block(handler, request = Tries, uses = [Patient], retry(max = 1))]
async fn once(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.request.tries.inc(1)?;
    if ctx.request.tries.get() < input { Err(Again.into()) } else { Ok(ctx.request.tries.get()) }
}

#[block(handler, uses = [Patient])]
async fn slow(input: u32) -> Result<u32> {
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    Ok(input)
}

#[block(handler, uses = [Patient], timeout = "2m")]
async fn slower(input: u32) -> Result<u32> {
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    Ok(input)
}

#[tokio::test(start_paused = true)]
async fn a_family_of_blocks_shares_options_and_each_may_say_otherwise() {
    assert_eq!(flowstate::run(flaky, 3).await.unwrap(), 3);
    assert_eq!(flowstate::run(once, 2).await.unwrap_err().block(), Some("once"));
    assert_eq!(flowstate::run(slow, 1).await.unwrap_err().code(), "timeout");
    assert_eq!(flowstate::run(slower, 1).await.unwrap(), 1);
}
