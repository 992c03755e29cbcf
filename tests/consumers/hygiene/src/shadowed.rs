//! Names of the standard library that stand for something else.
#![allow(non_camel_case_types, non_snake_case, unused_macros)]

mod std {}
mod core {}
mod alloc {}
mod serde {}
mod tokio {}
mod schemars {}
struct Option;
struct String;
struct Vec;
struct Box;
struct Default;
struct Clone;
struct Send;
struct Error;
struct Future;
struct Debug;
fn Ok() {}
fn Err() {}
fn drop() {}
macro_rules! vec {
    () => {};
}
macro_rules! concat {
    () => {};
}
macro_rules! assert {
    () => {};
}

type Result<T> = ::flowstate::Result<T>;
use ::flowstate::prelude::{block, capability, contract, data, flow, state};

#[state]
pub struct Note {
    pub count: u32,
    pub list: ::std::vec::Vec<u32>,
    #[state(default = ::std::option::Option::None)]
    pub maybe: ::std::option::Option<u32>,
    #[state(validate = short)]
    pub text: ::std::string::String,
}

fn short(_: &str) -> ::std::result::Result<(), ::std::string::String> {
    ::std::result::Result::Ok(())
}

#[data]
pub struct Pair {
    left: u32,
    right: u32,
}

#[state]
pub struct Kept {
    pub all: ::std::vec::Vec<u32>,
}

#[contract(version = 2)]
impl Kept {
    #[reducer]
    fn add(&mut self, n: u32) -> ::std::result::Result<(), ::std::string::String> {
        self.all.push(n);
        ::std::result::Result::Ok(())
    }

    #[reader]
    fn text(&self, budget: u32) -> ::std::string::String {
        ::std::format!("{:?} {budget}", self.all)
    }

    #[validate]
    fn check(&self) -> ::std::result::Result<(), ::std::string::String> {
        ::std::result::Result::Ok(())
    }

    #[migrate(from = 1)]
    fn first(stored: ::flowstate::contract::Json) -> ::flowstate::contract::Json {
        stored
    }

    #[repair]
    fn repair(stored: ::flowstate::contract::Json) -> ::flowstate::contract::Json {
        stored
    }
}

#[block(handler, reads = [Kept::text(budget = 9)], writes = [Kept], feeds = [Kept::add(|n: &u32| *n)])]
async fn keep(n: u32, ctx: Ctx) -> Result<u32> {
    ctx.writes.kept.batch().add(n).add(n).commit().await?;
    ctx.writes.kept.add(n).await?;
    ::std::assert_eq!(ctx.reads.kept.text().await?, ::std::format!("[{n}, {n}, {n}] 9"));
    ::std::result::Result::Ok(n)
}

#[block(handler, parent = Note)]
async fn count(n: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.count.inc(1)?;
    ctx.parent.list.push(n)?;
    ctx.parent.maybe.inc(1)?;
    Result::Ok(n + 1)
}

#[block(handler, sequencer = Note, targets(chain = Note))]
fn other(n: &u32, ctx: &Ctx) -> Result<u32> {
    ctx.sequencer.text.set(::std::string::String::new())?;
    Result::Ok(*n)
}

#[block(sequencer, state = Note)]
fn chain(n: u32) -> u32 {
    n.step(count)
        .step(|n| n + 1, other)
        .map(async |n, ctx| n + ctx.self_.count.get())
        .try_map(|n| Result::Ok(n))
        .tap(|_, ctx| ctx.self_.count.inc(1))
        .tap_if(|n| *n > 0, count)
        .step_if(|n| *n > 0, count)
        .parallel(Pair { left: count, right: other })
        .map(|pair| [pair.left, pair.right])
        .for_each(
            |_, n| if n == 0 { Each::Count } else { Each::Other },
            blocks = [count, other],
            max_concurrency = 2,
        )
        .for_each(count, max_concurrency = 1)
        .map(|all| all[0])
        .step_all([count, other], max_concurrency = 1)
        .map(|all| all[0])
        .step_any([count, other])
        .race([count], max_concurrency = 1)
        .branch((|n| *n > 3, count), (|n| n, |n| *n > 3, other))
        .do_until(count, |n| *n > 20)
        .loop_back(count, when = |n| *n < 30, max_iterations = 2)
        .throw_if(|n| *n == 0, |_| ::flowstate::Error::msg("zero"))
        .step_if(|_| false, count, abort_signal = |ctx| ctx.signal(), on_settled = |_, _| {})
        .step_if(|_| false, |n| n, count, abort_signal = |ctx| ctx.signal())
        .wait_for_condition(|items| items.is_empty(), timeout = "1ms", wake_on = |_, _| true)
        .map(|(n, _), ctx| if ctx.output_of(count).is_some() { n } else { 0 })
        .exit_if(|n| *n > 3)
}

#[data]
#[derive(::std::default::Default)]
pub struct Config {
    pub limit: u32,
}

#[capability(state = Note, session = Note, config = Config, presets(strict = on(|config| config.limit = 1)), targets(t = Option<Note>))]
pub struct Notes;

#[capability]
impl Notes {
    fn counted(ctx: &Ctx, by: u32) -> Result<u32> {
        ctx.self_.count.inc(by + ctx.config.limit)?;
        Result::Ok(ctx.self_.count.get())
    }
    async fn later(ctx: &Ctx, by: u32) -> Result<bool> {
        ctx.session.count.inc(by).await
    }
}

#[capability(uses = [Notes.with(limit = 3)])]
pub struct Above;

#[block(handler, uses = [Above, Notes.with(limit = 3)])]
async fn noted(n: u32, ctx: Ctx) -> Result<u32> {
    ctx.cap.notes.later(1).await?;
    ctx.cap.notes.counted(n)
}

#[block(sequencer, state = Note, steps = [count])]
async fn written(n: u32, ctx: Ctx) -> Result<u32> {
    let n = ctx.step(count, n).await?;
    let (a, b) = ctx.parallel((count, count), n).await?;
    let all = ctx.for_each(count, [a, b]).await?;
    let waited = ctx.wait_for_condition(|_| true, ::std::time::Duration::ZERO).await;
    if waited.timed_out || ctx.output_of(count).is_none() {
        return Result::Ok(0);
    }
    Result::Ok(all[0] + all[1])
}

struct PartialEq;
struct Hash;
struct Route;
struct Tool;
struct Generation;

#[block(generator, model = "m", tools = [chain, other = chain], state = Note)]
async fn ask(n: &u32, ctx: Ctx) -> Result<flowstate::Prompt<u32>> {
    let _ = ctx.self_.list.get();
    Result::Ok(flowstate::Prompt::system("x").user(n.to_string()).tools([Tool::Other]))
}

struct Step;
struct Said;
struct Asking;
struct CapabilityTool;

#[capability(
    state = Note, config = Config, tools = [count, other = chain], control_tools = [more = configured(config.limit)],
    offered = Self::offered, context(list = Self::shown, later = Self::later), model = Self::model,
)]
pub struct Tooled;

#[capability]
impl Tooled {
    fn offered(_: &Ctx) -> [TooledTool; 3] {
        [TooledTool::Count, TooledTool::Other, TooledTool::More]
    }
    fn shown(ctx: &Ctx) -> ::std::vec::Vec<u32> {
        ctx.self_.list.get()
    }
    async fn later(_: &Ctx) -> Result<u32> {
        Result::Ok(1)
    }
    fn model(_: &Ctx) -> &'static str {
        "m"
    }
}

#[block(handler)]
async fn configured(n: u32, #[config] limit: u32) -> Result<u32> {
    Result::Ok(n + limit)
}

#[block(generator, uses = [Tooled])]
async fn ask_tooled(_: u32) -> Result<flowstate::Prompt<u32>> {
    Result::Ok(flowstate::Prompt::system("x").tools([TooledTool::Other]))
}

#[block(generator, uses = [Tooled], tools = [chain])]
async fn ask_fenced(_: u32, ctx: Ctx) -> Result<flowstate::Prompt<u32>> {
    let _ = ctx.self_.list.get();
    Result::Ok(flowstate::Prompt::system("x").tools([Tool::Chain]))
}

#[block(router, routes = [chain, other = chain], state = Note)]
async fn pick(n: &u32, ctx: Ctx) -> Result<Route> {
    let list = ctx.self_.list.get();
    Result::Ok(if list.is_empty() && *n > 0 { Route::Chain } else { Route::Other })
}

flow! {
    pub struct Shadows {
        pub pick: pick,
        pub ask: ask,
        pub ask_tooled: ask_tooled,
        pub ask_fenced: ask_fenced,
        pub chain: chain,
        pub written: written,
        pub noted: noted,
    }
}

pub async fn check() {
    ::std::assert_eq!(::flowstate::run(keep, 2).await.unwrap(), 2);
    let app = ::flowstate::App::builder()
        .model(::flowstate::model::ScriptedModel::new([]))
        .flow(Shadows)
        .build()
        .unwrap();
    assert_eq!(app.request().call(Shadows::chain, 1).await.unwrap(), 23);
    assert_eq!(app.request().call(Shadows::pick, 1).await.unwrap(), 23);
    assert_eq!(app.request().call(Shadows::written, 1).await.unwrap(), 8);
    assert_eq!(app.request().call(Shadows::noted, 1).await.unwrap(), 4);
}

// (what `schemars` derives needs the prelude)
#[state]
pub struct Bare {
    pub bare: u32,
}

#[data]
pub struct Value(pub u32);

#[state]
pub struct Fed {
    pub total: u32,
}

#[contract]
impl Fed {
    #[reducer]
    fn add(&mut self, by: u32) {
        self.total += by;
    }
}

/// Not even the prelude of the standard library.
mod bare {
    #![no_implicit_prelude]
    use super::{Bare, Note, Pair, Value};
    use ::flowstate::prelude::{IntoBlock, again, block, capability, flow};
    use ::flowstate::{Error, Result};
    use ::std::primitive::{bool, u32};
    use ::std::vec::Vec;

    #[block(handler, state = [Note, Bare], parent = Note, sequencer = Note, targets(bare = Note), request = Bare)]
    async fn all(n: &u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.bare.inc(1)?;
        ctx.parent.count.inc(1)?;
        Result::Ok(*n + 1)
    }

    #[block(handler)]
    fn unwrapped(Value(n): Value) -> Result<u32> {
        Result::Ok(n)
    }

    pub struct Setup {
        limit: u32,
        exact: bool,
    }

    impl ::std::default::Default for Setup {
        fn default() -> Self {
            Setup { limit: 1, exact: false }
        }
    }

    #[capability(
        state = [Note, Bare], session = Bare, config = Setup, presets(more = off(|setup| setup.limit += 1)), required = [exact],
        tools = [unwrapped, all], control_tools = [second = unwrapped], offered = Self::offered, context(bare = Self::shown), model = "m",
        targets(bare = ::std::option::Option<Note>), timeout = "5s", retry(max = 2), visibility(client)
    )]
    pub struct Around;

    #[capability]
    impl Around {
        fn count(ctx: &Ctx, by: u32) -> Result<u32> {
            ctx.self_.bare.inc(by + ctx.config.limit)?;
            Result::Ok(ctx.self_.bare.get())
        }
        fn shown(ctx: &Ctx) -> u32 {
            ctx.self_.bare.get()
        }
        async fn offered(_: &Ctx) -> Result<Vec<AroundTool>> {
            Result::Ok(Vec::new())
        }
        async fn keep(ctx: &Ctx) -> Result<bool> {
            ctx.session.bare.inc(1).await
        }
    }

    #[capability(uses = [Around.with(more = true, exact = true)])]
    pub struct Above;

    #[block(handler, uses = [Around.with(more = true, exact = true), Above])]
    async fn counted(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.cap.around.keep().await?;
        ctx.cap.around.count(n)
    }

    #[block(sequencer, state = Note)]
    fn counting(n: u32) -> u32 {
        n.step(counted)
    }

    fn small(n: &u32) -> bool {
        *n < 10
    }

    #[block(sequencer, state = Note, name = "bare")]
    fn chain(n: u32) -> u32 {
        n.step(all)
            .step(Value, unwrapped)
            .tap(async |_, ctx| ctx.self_.count.inc(1))
            .tap_if(small, all)
            .step_if(small, all)
            .try_map(|n| Result::Ok(n))
            .parallel(Pair { left: all, right: (|n| n, all) })
            .map(|pair| (pair.left, pair.right).0)
            .parallel((all, all), max_concurrency = 1)
            .map(|pair| [pair.0, pair.1])
            .for_each(|_| Each::All, blocks = [all], max_concurrency = 2)
            .step_all([first, first])
            .map(|all| all[0])
            .step_any([all.connect_input(|n: u32| n), all])
            .race([all, all])
            .branch((small, all), (|n| n, small, all), all)
            .do_while(all, small, max_iterations = 20)
            .loop_back(all, when = small, max_iterations = 1)
            .throw_if(small, Error::msg("small"))
            .step(all, abort_signal = |ctx| ctx.signal())
            .wait_for_condition(|items| items.is_empty(), timeout = "1ms")
            .map(|(n, _), ctx| if ctx.output_of(all).is_some() { n } else { 0 })
            .exit_if(small)
    }

    #[block(handler)]
    fn first(all: Vec<u32>) -> Result<u32> {
        Result::Ok(all[0])
    }

    #[block(sequencer, state = Note, name = "bare", steps = [unwrapped])]
    async fn written(n: u32, ctx: Ctx) -> Result<u32> {
        if n > 100 {
            return ctx.step(again(written), 1).await;
        }
        let (a, b) = ctx.parallel((all, all), n).await?;
        let all = ctx.for_each(all, [a, b]).await?;
        Result::Ok(all[0])
    }

    #[block(router, routes = [chain, written.connect_input(|n: u32| n), again(pick), third = again(pick)])]
    async fn pick(n: u32) -> Result<Route> {
        Result::Ok(match n {
            0 => Route::Chain,
            1 => Route::Written,
            _ => Route::Pick,
        })
    }

    #[block(handler, feeds = [super::Fed::add(|n: &u32| *n)])]
    async fn feeding(n: u32) -> Result<u32> {
        Result::Ok(n)
    }

    flow! {
        pub struct Bared {
            pub feeding: feeding,
            #[action]
            pub pick: pick,
            pub chain: chain,
            pub written: written,
        }
    }
}
