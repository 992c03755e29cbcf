//! Names that the generated code might use itself.
#![allow(non_upper_case_globals, non_camel_case_types, non_snake_case)]
use flowstate::prelude::*;

mod constants {
    use flowstate::prelude::*;

    // a constant turns a generated `let` of its name into a pattern
    pub const ctx: u32 = 1;
    const state: u32 = 1;
    const self_: u32 = 1;
    const input: u32 = 1;
    const output: u32 = 1;
    const result: u32 = 1;
    const err: u32 = 1;
    const flow: u32 = 1;
    const scope: u32 = 1;
    const parent: u32 = 1;
    const session: u32 = 1;
    const value: u32 = 1;
    const v: u32 = 1;
    const n: u32 = 1;
    const at: u32 = 1;
    const item: u32 = 1;
    const index: u32 = 1;
    const base: u32 = 1;
    const a: u32 = 1;
    const b: u32 = 1;
    const error: u32 = 1;
    const tail: u32 = 1;
    const other: u32 = 1;
    const f: u32 = 1;
    const cells: u32 = 1;
    const known: u32 = 1;

    #[state]
    pub struct Held {
        pub held: u32,
        #[state(validate = |x| fine(x))]
        pub checked: u32,
    }

    fn fine(x: &u32) -> Result<(), String> {
        if *x < 9 { Ok(()) } else { Err(String::new()) }
    }

    #[block(handler, parent = Held, sequencer = Held, session = Held, request = Held)]
    async fn write(number: u32, context: Ctx) -> Result<u32> {
        context.parent.held.inc(ctx)?;
        context.session.held.inc(1).await?;
        context.request.held.inc(1)?;
        Ok(number)
    }

    #[block(sequencer, state = Held)]
    pub fn chain(number: u32) -> u32 {
        number
            .step(write)
            .map(|x, c| x + c.self_.held.get())
            .map(async |x, c| x + c.self_.held.get())
            .try_map(async |x| Ok(x))
            .parallel((write, write))
            .map(|(x, y)| vec![x, y])
            .for_each(
                |_, i| if i == 0 { Each::Write } else { Each::Again },
                blocks = [write, again = write],
            )
            .step_all([first, first])
            .map(|all| all[0])
            .step_any([write])
            .race([write, write])
            .do_until(write, |_| true)
            .branch((|x| x, |x| *x > 0, write), write)
            .tap_if(|_| true, write)
    }

    #[block(handler)]
    fn first(all: Vec<u32>) -> Result<u32> {
        Ok(all[0])
    }

    #[block(sequencer, state = Held)]
    pub async fn written(number: u32, context: Ctx) -> Result<u32> {
        context.step(write, number).await
    }
}

/// Arguments and locals of those names.
mod locals {
    use flowstate::prelude::*;

    #[block(handler, state = Own, parent = Option<Own>)]
    async fn input(ctx: u32, state: Ctx) -> Result<u32> {
        let (self_, output, result, err, flow, scope, parent, session) = (1, 1, 1, 1, 1, 1, 1, 1);
        state.self_.own.inc(ctx)?;
        let __v = 1;
        Ok(self_
            + output
            + result
            + err
            + flow
            + scope
            + parent
            + session
            + state.self_.own.get()
            + __v)
    }

    #[state]
    pub struct Own {
        own: u32,
    }

    #[block(sequencer)]
    pub fn with_names(ctx: u32) -> u32 {
        ctx.step(input)
            .map(|scope| scope + 1)
            .map(|input, ctx| input + u32::from(ctx.block().is_empty()))
            .map(async |__v, __ctx| __v + u32::from(__ctx.block().is_empty()))
            .tap(|__rt| assert!(*__rt > 0))
    }
}

/// Blocks that are called as the generated code might call something.
mod blocks {
    use flowstate::prelude::*;

    #[state]
    pub struct Kept {
        kept: u32,
    }

    macro_rules! blocks {
        ($($name:ident),*) => {
            $(
                #[block(handler, state = Kept, sequencer = Kept, request = Kept)]
                async fn $name(n: u32, ctx: Ctx) -> Result<u32> {
                    ctx.self_.kept.inc(1)?;
                    ctx.request.kept.inc(1)?;
                    ctx.sequencer.kept.inc(1)?;
                    Ok(n + 1)
                }
            )*
            #[block(sequencer, state = Kept)]
            pub fn all(n: u32) -> u32 {
                n$(.step($name))*
            }
            #[block(sequencer, state = Kept)]
            pub async fn all_written(n: u32, ctx: Ctx) -> Result<u32> {
                let mut sum = n;
                $(sum = ctx.step($name, sum).await?;)*
                Ok(sum)
            }
        };
    }
    blocks!(
        block, state, data, flow, run, ctx, own, scope, known, link, base, cells, at, input,
        output, sites, request, session, parent, sequencer, targets, r, v, rt, w, pass, next, site,
        this, __own, __v, __at, __ctx, __input
    );

    /// A chain and an async sequencer of such names.
    macro_rules! sequencers {
        ($($name:ident)*) => { $(pub mod $name {
            #[flowstate::block(sequencer, state = super::Kept)]
            pub fn $name(n: u32) -> u32 {
                n.step(super::own).tap(|_, ctx| assert_eq!(ctx.self_.kept.get(), 1))
            }
        }
        pub mod routed {
            pub mod $name {
                #[flowstate::block(router, routes = [super::super::own, $name = super::super::own], state = super::super::Kept)]
                pub async fn $name(n: &u32, ctx: Ctx) -> flowstate::Result<Route> {
                    Ok(Route::from_key(if *n == ctx.self_.kept.get() { "own" } else { stringify!($name) })?)
                }
            }
        }
        pub mod generated {
            pub mod $name {
                #[flowstate::block(generator, model = "m", tools = [super::super::own, $name = super::super::own], state = super::super::Kept)]
                pub async fn $name(n: &u32, ctx: Ctx) -> flowstate::Result<flowstate::Prompt<u32>> {
                    let prompt = flowstate::Prompt::system(n.to_string());
                    Ok(if ctx.self_.kept.get() == *n { prompt.tools([Tool::Own]) } else { prompt })
                }
            }
        }
        pub mod written {
            pub mod $name {
                #[flowstate::block(sequencer, state = super::super::Kept)]
                pub async fn $name(n: u32, ctx: Ctx) -> flowstate::Result<u32> {
                    ctx.step(super::super::own, n).await
                }
            }
        })* };
    }
    sequencers!(known_);
}

/// Types beside blocks and states of a like name.
mod beside {
    use flowstate::prelude::*;

    #[derive(Debug)]
    pub struct FooCtx;
    pub struct FooTargets;
    pub struct NoteHandle;
    pub struct Note_text;

    #[state]
    pub struct Note {
        pub text: String,
    }

    #[block(handler, state = Note, targets(beside = Note))]
    async fn foo(n: u32, ctx: Ctx) -> Result<u32> {
        let _ = (FooCtx, NoteHandle, FooTargets, Note_text);
        ctx.targets.beside.text.set("x".into())?;
        Ok(n)
    }

    // these two differ in an underscore, and give contexts of one name
    #[block(handler, state = Note)]
    async fn fo_o(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.text.set("x".into()).map(|_| n)
    }

    #[block(handler, state = Note)]
    async fn fo__o(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.text.set("x".into()).map(|_| n)
    }

    #[block(handler, state = Note)]
    #[allow(non_snake_case)]
    async fn fOo(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.text.set("x".into()).map(|_| n)
    }

    mod elsewhere {
        use flowstate::prelude::*;

        #[block(handler)]
        pub async fn foo(n: u32) -> Result<u32> {
            Ok(n + 1)
        }
    }

    #[block(sequencer, state = Note)]
    pub fn beside(n: u32) -> u32 {
        n.step(foo)
            .step(fo_o)
            .step(fo__o)
            .step(fOo)
            .step(elsewhere::foo)
            .for_each(|n| vec![n], elsewhere::foo)
            .map(|all| all[0])
            .parallel((foo, elsewhere::foo))
            .map(|all| all.1)
    }
}

/// Fields that are called as a handle's own methods, or as types.
#[state]
pub struct Fields {
    pub get: u32,
    pub set: u32,
    pub with: u32,
    pub update: u32,
    pub modify: Vec<u32>,
    pub char: char,
    pub str: String,
    pub u32: u32,
    pub value: u32,
    pub state: u32,
    pub version: u32,
    pub at: u32,
    pub tail: u32,
    pub own: u32,
    pub String: String,
    pub r#type: String,
    pub r#async: bool,
    pub r#match: std::collections::BTreeSet<u8>,
    #[state(default = 7, validate = |v| if *v < 100 { Ok(()) } else { Err("large".into()) })]
    pub r#fn: u32,
}

#[block(handler, parent = Fields)]
#[allow(non_snake_case)]
async fn r#try(r#type: u32, r#dyn: Ctx) -> Result<u32> {
    let fields = &r#dyn.parent;
    fields.get.inc(1)?;
    fields.set.set(fields.get.get())?;
    fields.with.update(|with| *with += 1)?;
    fields.update.modify(|update| *update += 1)?;
    fields.modify.push(1)?;
    fields.char.set('c')?;
    fields.str.set("s".into())?;
    fields.u32.dec(0)?;
    fields.value.inc(1)?;
    fields.state.inc(1)?;
    fields.r#type.set("t".into())?;
    fields.r#async.set(true)?;
    fields.r#match.insert(1)?;
    assert_eq!(fields.r#fn.set(200).unwrap_err().to_string(), "`Fields.fn` keeps its value: large");
    fields.update(|all| all.String.push('x'))?;
    assert_eq!(fields.get().get, fields.with(|all| all.set));
    Ok(r#type + r#dyn.parent.value.get())
}

#[data]
struct Raw {
    r#type: u32,
    r#loop: u32,
}

#[block(sequencer, state = Fields, name = "box")]
fn r#box(r#in: u32) -> u32 {
    r#in.step(r#try)
        .parallel(Raw { r#type: r#try, r#loop: self::r#try })
        .map(|r#do| vec![r#do.r#type, r#do.r#loop])
        .for_each(|_| Each::Try, blocks = [r#try])
        .map(|all| all[0])
        .loop_back(r#try, when = |_| false, max_iterations = 1)
}

#[block(handler, targets(r#box = Fields))]
async fn r#virtual(_: (), ctx: Ctx) -> Result<u32> {
    Ok(ctx.targets.r#box.value.get())
}

#[block(sequencer, name = "box", state = Fields)]
async fn r#final(_: (), r#yield: Ctx) -> Result<u32> {
    r#yield.step(r#virtual, ()).await
}

flow! {
    pub struct Flow {
        pub r#box: r#box,
        pub r#final: r#final,
        pub new: r#box,
        pub DEF: r#box,
    }
}

pub async fn check() -> Result<()> {
    assert_eq!(flowstate::run(constants::chain, 1).await?, 3);
    assert_eq!(flowstate::run(constants::written, 1).await?, 1);
    assert_eq!(flowstate::run(locals::with_names, 2).await?, 12);
    assert_eq!(flowstate::run(blocks::all, 0).await?, 34);
    assert_eq!(flowstate::run(blocks::all_written, 0).await?, 34);
    assert_eq!(flowstate::run(beside::beside, 0).await?, 3);
    assert_eq!(flowstate::run(blocks::known_::known_, 0).await?, 1);
    let app = App::builder().flow(Flow).build()?;
    assert_eq!(app.request().call(Flow::r#final, ()).await?, 0);
    assert!(app.request().call(Flow::r#box, 1).await? > 1);
    let error = flowstate::test(r#try).run(1).await.unwrap_err();
    assert_eq!(error.block(), Some("try"));
    Ok(())
}
