//! Everything from `macro_rules!`: names, types, expressions, whole blocks, and through another crate.
use flowstate::prelude::*;

macro_rules! state_of {
    ($vis:vis $name:ident { $($field:ident : $ty:ty = $default:expr),* $(,)? }) => {
        #[state]
        $vis struct $name {
            $(#[state(default = $default)] $vis $field: $ty,)*
        }
    };
}

state_of!(pub(crate) Made { count: u32 = 1 + 1, text: String = "made".to_string(), list: Vec<Option<u8>> = vec![None] });

macro_rules! handler {
    ($(#[$attr:meta])* $name:ident($input:ident: $in:ty) -> $out:ty $body:block) => {
        $(#[$attr])*
        #[block(handler)]
        async fn $name($input: $in) -> Result<$out> $body
    };
    ($name:ident($input:ident: $in:ty, $ctx:ident in $parent:ty) -> $out:ty => $value:expr) => {
        #[block(handler, parent = $parent)]
        async fn $name($input: $in, $ctx: Ctx) -> Result<$out> {
            $ctx.parent.count.inc(1)?;
            Ok($value)
        }
    };
}

handler! {
    /// With a description.
    plus(n: u32) -> u32 { Ok(n + 1) }
}
handler!(counted(n: u32, c in Made) -> u32 => n + c.parent.count.get());

macro_rules! whole {
    ($($item:item)*) => { $($item)* };
}

whole! {
    #[block(handler)]
    async fn minus(n: u32) -> Result<u32> {
        Ok(n - 1)
    }

    #[state]
    struct Other {
        other: u32,
    }
}

macro_rules! chain {
    ($name:ident, $state:ty, $first:path, $($step:expr),* ; $condition:expr, $most:expr, $map:expr) => {
        #[block(sequencer, state = $state)]
        fn $name(input: u32) -> u32 {
            input
                .step($first)
                $(.step($step))*
                .step_if($condition, $first)
                .map($map)
                .tap(|value| assert!(*value > 0))
                .tap(|_, ctx| ctx.self_.count.inc(1))
                .map(async |value, ctx| value + ctx.self_.count.get())
                .parallel(($first, $($step),*), max_concurrency = $most)
                .map(|all| all.0)
                .step_all([$first, $($step),*])
                .for_each($first, max_concurrency = $most)
                .map(|all| all[0])
                .step_any([$($step),*, $first])
                .race([$first])
                .branch(($condition, $first), $first)
                .do_until($first, $condition, max_iterations = 100)
                .loop_back($first, when = |value| *value < 3, max_iterations = 2)
                .throw_if(|value| *value == 0, Error::msg("zero"))
                .exit_if($condition)
        }
    };
}

fn large(n: &u32) -> bool {
    *n > 30
}

chain!(chained, Made, plus, counted, minus.connect_input(|n: u32| n + 2); large, 2, |n| n + 1);

macro_rules! written {
    ($name:ident, $state:ty, $($step:path),*; $adapted:expr; $ctx:ident) => {
        #[block(sequencer, state = $state, steps = [$($step),*])]
        async fn $name(input: u32, $ctx: Ctx) -> Result<u32> {
            let mut n = input;
            $(n = $ctx.step($step, n).await?;)*
            n = $ctx.step($adapted, n).await?;
            let (a, b) = $ctx.parallel(($($step),*), n).await?;
            Ok(a + b)
        }
    };
}

written!(wrote, Made, plus, counted; minus.connect_output(|n: u32| n); ctx);

/// Calls that the attribute cannot see.
macro_rules! go {
    ($ctx:ident, $block:path, $input:expr) => {
        $ctx.step($block, $input).await?
    };
}

#[block(sequencer, state = Made, steps = [plus, counted])]
async fn unseen(n: u32, ctx: Ctx) -> Result<u32> {
    let n = go!(ctx, plus, n);
    Ok(go!(ctx, counted, n) + ctx.step(minus, go!(ctx, plus, 1)).await?)
}

macro_rules! flow_of {
    ($name:ident: $kind:literal, $($action:ident = $block:ty),*) => {
        flow! {
            #[flow(kind = $kind)]
            pub(crate) struct $name {
                $($action: $block),*
            }
        }
    };
}

flow_of!(Mine: "mine", go = chained, write = wrote);

mod by_facade {
    // no flowstate here by name
    use facade::flowstate::prelude::{Ctx, block};

    facade::adder!(add_five, Sum, 2 + 3);
    facade::adder!(add_nine, Sums, 9);

    #[block(sequencer, state = Sum, crate = facade::flowstate)]
    pub(super) fn ten(n: i64) -> (i64, i64) {
        n.step(add_five).step(add_five).map(|n, ctx| (n, ctx.self_.sum.get()))
    }

    fn of_any(ctx: &Ctx<'_, add_nine>) -> i64 {
        ctx.parent.sum.get()
    }
}

pub(crate) async fn check() -> Result<()> {
    assert!(flowstate::run(chained, 1).await? > 30);
    let app = App::builder().flow(Mine).build()?;
    assert_eq!(app.request().call(Mine::write, 1).await?, 13);
    assert_eq!(flowstate::run(unseen, 1).await?, 6);
    assert_eq!(flowstate::run(by_facade::ten, 0).await?, (10, 10));
    Ok(())
}
