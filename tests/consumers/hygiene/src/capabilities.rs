//! Capabilities: from macros, with names of all sorts, with parts that are not there, through another crate.
#![allow(clippy::non_minimal_cfg)]
use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[data]
#[derive(Default)]
pub struct Setup {
    pub r#type: u32,
    pub setup: bool,
    pub config: u32,
    pub __config: u32,
}

impl Setup {
    fn more(&mut self) {
        self.config += 1;
    }
}

/// Everything from `macro_rules!`.
mod made {
    use super::{Setup, Tally};
    use flowstate::prelude::*;

    macro_rules! capability {
        ($name:ident, $state:ty, $field:ident, $config:ty, $preset:ident = $apply:expr; $($function:ident($ctx:ident, $arg:ident: $in:ty) -> $out:ty $body:block)*) => {
            #[capability(state = $state, session = $state, config = $config, presets($preset = off($apply)))]
            pub struct $name;

            #[capability]
            impl $name {
                $(pub fn $function($ctx: &Ctx, $arg: $in) -> $out $body)*

                pub fn hidden(ctx: &Ctx, by: u32) -> Result<u32> {
                    let before = ctx.self_.$field.get();
                    ctx.self_.$field.inc(by)?;
                    Ok(before + ctx.config.config)
                }

                pub async fn kept(ctx: &Ctx, by: u32) -> Result<u32> {
                    ctx.session.$field.inc(by).await?;
                    Ok(Self::twice(ctx.session.$field.get()))
                }

                fn twice(n: u32) -> u32 {
                    n * 2
                }
            }
        };
    }
    capability!(Made, Tally, count, Setup, more = Setup::more;
        given(c, n: u32) -> Result<bool> { c.self_.count.inc(n) }
        r#fn(ctx, r#in: u32) -> u32 { r#in + ctx.config.r#type }
        ctx(ctx, base: u32) -> u32 { base + ctx.config.config }
        __ctx_(given, config: u32) -> u32 { config + given.config.config }
    );

    macro_rules! block_of {
        ($name:ident, $ctx:ident, $($used:ident.$cap:ident),*; $more:expr) => {
            #[block(handler, state = Tally, uses = [$($used.with(r#type = $more, more = true, setup = true)),*])]
            pub async fn $name(n: u32, $ctx: Ctx) -> Result<u32> {
                let mut sum = 0;
                $(
                    $ctx.cap.$cap.given(n)?;
                    sum += $ctx.cap.$cap.hidden(n)? + $ctx.cap.$cap.kept(1).await? + $ctx.cap.$cap.r#fn(1);
                    sum += $ctx.cap.$cap.ctx(1) + $ctx.cap.$cap.__ctx_(1);
                )*
                Ok(sum + $ctx.self_.count.get())
            }
        };
    }
    block_of!(by_macro, c, Made.made; 2 + 3);

    macro_rules! tools {
        ($name:ident, $enum:ident, $agent:ident, $config:ty; $tool:ident = $expr:expr, $plain:path; $tag:ident = $function:path; $model:literal) => {
            #[capability(
                state = Tally, config = $config, tools = [$tool = $expr, $plain], control_tools = [third = $plain],
                offered = Self::offered, context($tag = $function), model = $model
            )]
            pub struct $name;

            #[capability]
            impl $name {
                fn offered(ctx: &Ctx) -> Vec<$enum> {
                    if ctx.self_.count.get() > 0 { vec![] } else { vec![$enum::In, $enum::Third] }
                }
            }

            #[block(generator, uses = [$name.with(config = 1)])]
            pub async fn $agent(_: u32, ctx: Ctx) -> Result<Prompt> {
                Ok(Prompt::system(ctx.self_.count.get().to_string()).tools([$enum::Third]))
            }
        };
    }
    #[block(handler)]
    async fn add(n: u32, #[config] by: u32) -> Result<u32> {
        Ok(n + by)
    }
    #[block(handler, parent = Tally)]
    async fn look(_: (), ctx: Ctx) -> Result<u32> {
        Ok(ctx.parent.count.get())
    }
    fn shown(ctx: &Ctx<'_, Tooled>) -> u32 {
        ctx.config.config
    }
    tools!(Tooled, TooledTool, asking, Setup; r#in = add(3), look; r#type = shown; "m");
}

/// Raw names.
mod raw {
    use super::Tally;
    use flowstate::prelude::*;

    #[allow(non_camel_case_types)]
    #[capability(state = Tally)]
    pub struct r#type;

    #[capability]
    impl r#type {
        pub fn r#match(ctx: &Ctx, r#fn: u32) -> Result<u32> {
            ctx.self_.count.inc(r#fn)?;
            Ok(ctx.self_.count.get())
        }
    }

    #[capability(name = "async")]
    pub struct Other;

    #[capability]
    impl Other {
        pub async fn r#loop<'a>(_ctx: &Ctx, r#in: &'a str) -> &'a str {
            r#in
        }
    }

    #[capability]
    pub struct Crate;

    #[capability]
    impl Crate {
        pub fn zero(_: &Ctx) -> u32 {
            0
        }
    }

    #[block(handler, uses = [r#type, Other, Crate])]
    pub async fn r#use(n: u32, ctx: Ctx) -> Result<u32> {
        assert_eq!(ctx.cap.crate_.zero(), 0);
        Ok(ctx.cap.r#type.r#match(n)? + ctx.cap.r#async.r#loop("abc").await.len() as u32)
    }
}

/// Parts that are not there.
mod cfg {
    use super::Tally;
    use flowstate::prelude::*;

    #[capability(state = Tally)]
    #[cfg(all())]
    pub struct There;

    #[capability(state = Missing)]
    #[cfg(any())]
    pub struct Gone;

    #[capability]
    #[cfg(any())]
    impl Gone {
        fn gone(ctx: &Ctx) -> Missing {}
    }

    #[capability]
    #[cfg(all())]
    impl There {
        #[cfg(any())]
        pub fn one(ctx: &Ctx, gone: Missing) -> Missing {
            gone
        }
        #[cfg(all())]
        pub fn one(ctx: &Ctx) -> u32 {
            ctx.self_.count.get()
        }
        #[cfg_attr(any(), cfg(any()))]
        #[cfg_attr(all(), inline)]
        pub fn two(_ctx: &Ctx) -> u32 {
            2
        }
    }

    #[block(handler, uses = [There])]
    pub async fn count(n: u32, ctx: Ctx) -> Result<u32> {
        Ok(n + ctx.cap.there.one() + ctx.cap.there.two())
    }

    #[block(handler, uses = [Gone])]
    #[cfg(any())]
    pub async fn gone(n: u32) -> Result<u32> {
        Ok(n)
    }
}

/// Names that the generated code might use itself, and constants of such names.
#[allow(non_upper_case_globals)]
mod names {
    use super::Tally;
    use flowstate::prelude::*;

    const ctx: u32 = 1;
    const config: u32 = 1;
    const cap: u32 = 1;
    const given: u32 = 1;
    const base: u32 = 1;
    const setup: u32 = 1;
    const rest: u32 = 1;
    const used: u32 = 1;

    #[capability(state = Tally)]
    pub struct Capability;
    #[capability(uses = [Capability])]
    pub struct Uses;
    #[capability]
    pub struct Use;
    #[capability]
    pub struct Config;
    #[capability]
    pub struct Ctx_;

    #[capability]
    impl Capability {
        pub fn config(context: &Ctx, given_: u32, clone: u32) -> Result<u32> {
            context
                .self_
                .count
                .inc(given_ + ctx + config + cap + given + base + setup + rest + used)?;
            Ok(context.self_.count.get() + clone)
        }
        pub fn clone(_: &Ctx, _: u32, (a, [b, _]): (u32, [u32; 2])) -> u32 {
            a + b
        }
        pub fn fmt(_: &Ctx) -> u32 {
            1
        }
    }

    #[block(handler, uses = [Uses, Capability, Use, Config, Ctx_])]
    pub async fn named(n: u32, context: Ctx) -> Result<u32> {
        let all = context.cap.capability.config(n, 1)?;
        Ok(all + context.cap.capability.clone(1, (2, [3, 4])) + context.cap.capability.fmt())
    }

    #[block(sequencer, uses = [Capability])]
    pub fn chain(n: u32) -> u32 {
        n.step(named).try_map(|__v, c| c.cap.capability.config(__v, 1))
    }
}

/// Of any visibility, at any place.
mod visible {
    pub mod inner {
        use flowstate::prelude::*;

        #[capability(state = crate::capabilities::Tally)]
        pub(in crate::capabilities) struct Near;

        #[capability]
        impl Near {
            pub(super) fn near(ctx: &Ctx) -> u32 {
                ctx.self_.count.get()
            }
            pub(crate) fn far(ctx: &Ctx) -> Result<u32> {
                ctx.self_.count.inc(1)?;
                Ok(Self::only_here(ctx))
            }
            fn only_here(ctx: &Ctx) -> u32 {
                ctx.self_.count.get()
            }
        }

        #[block(handler, uses = [Near])]
        pub(super) async fn here(n: u32, ctx: Ctx) -> Result<u32> {
            Ok(n + ctx.cap.near.only_here())
        }
    }

    use flowstate::prelude::*;

    #[block(handler, uses = [self::inner::Near])]
    pub(super) async fn beside(n: u32, ctx: Ctx) -> Result<u32> {
        Ok(n + ctx.cap.near.far()? + ctx.cap.near.near())
    }

    #[block(sequencer, uses = [crate::capabilities::visible::inner::Near])]
    pub(super) async fn both(n: u32, ctx: Ctx) -> Result<u32> {
        let n = ctx.step(inner::here, n).await?;
        Ok(ctx.step(beside, n).await? + ctx.cap.near.far()?)
    }
}

/// No flowstate here by name.
mod by_facade {
    use facade::flowstate::prelude::block;

    facade::counter!(Counter, Sum);

    #[block(handler, uses = [Counter.with(by = 3)], crate = facade::flowstate)]
    pub(super) async fn three(n: i64, ctx: Ctx) -> facade::flowstate::Result<i64> {
        ctx.cap.counter.add(n)
    }
}

pub(crate) async fn check() -> Result<()> {
    assert_eq!(flowstate::run(made::by_macro, 1).await?, 1 + 1 + 2 + 6 + 2 + 2 + 2);
    assert_eq!(flowstate::run(raw::r#use, 2).await?, 5);
    assert_eq!(flowstate::run(cfg::count, 1).await?, 3);
    assert_eq!(flowstate::run(names::chain, 1).await?, 16 + 8 + 1);
    assert_eq!(flowstate::run(visible::both, 1).await?, 4);
    assert_eq!(flowstate::run(by_facade::three, 1).await?, 4);
    Ok(())
}
