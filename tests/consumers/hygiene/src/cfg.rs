//! Parts that are there, and parts that are not: none of what is not is mentioned.
#![allow(clippy::non_minimal_cfg)]
use flowstate::prelude::*;

#[state]
pub struct Note {
    #[cfg(all())]
    pub here: u32,
    #[cfg(any())]
    pub gone: Missing,
    #[cfg_attr(all(), state(default = 4))]
    pub set: u32,
    #[cfg_attr(any(), state(default = missing()))]
    pub not_set: u32,
    #[cfg_attr(any(), cfg(all()))]
    #[cfg_attr(all(), doc = "documented")]
    pub documented: u32,
}

#[cfg(any())]
#[state]
pub struct Missing {
    field: Nothing,
}

#[state]
#[cfg(any())]
pub struct MissingToo {
    field: Nothing,
}

#[data]
#[derive(PartialEq)]
pub struct Pair {
    left: u32,
    #[cfg(any())]
    gone: Missing,
    #[cfg(all())]
    right: u32,
}

#[block(handler, parent = Note)]
async fn here(n: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.here.inc(1)?;
    assert_eq!((ctx.parent.set.get(), ctx.parent.not_set.get()), (4, 0));
    Ok(n + 1)
}

#[block(handler, parent = Note)]
#[cfg(any())]
async fn gone(n: u32, ctx: Ctx) -> Result<u32> {
    Ok(nothing)
}

#[cfg(any())]
#[block(handler)]
async fn gone_too(n: Nothing) -> Result<u32> {
    Ok(n)
}

#[cfg_attr(all(), block(handler))]
async fn made(n: u32) -> Result<u32> {
    Ok(n + 1)
}

#[block(handler)]
#[cfg_attr(any(), cfg(any()))]
#[cfg_attr(all(), inline)]
async fn stays(n: u32) -> Result<u32> {
    Ok(n + 10)
}

#[block(sequencer)]
#[cfg(any())]
fn gone_chain(n: u32) -> u32 {
    n.step(gone)
}

#[block(sequencer, state = Note, steps = [#[cfg(any())] gone, here, #[cfg(all())] made, #[cfg(any())] other::gone])]
async fn written(n: u32, ctx: Ctx) -> Result<u32> {
    let mut n = n;
    #[cfg(any())]
    ctx.step(gone, n).await?;
    #[cfg(any())]
    let n: Result<u32, Missing> = ctx.step(gone, n).await;
    #[cfg(all())]
    {
        n = ctx.step(here, n).await?;
    }
    #[cfg(any())]
    {
        n = ctx.step(gone, n).await?;
    }
    #[cfg(any())]
    if n > 1 {
        ctx.step(gone, n).await?;
    } else if n > 2 {
        ctx.step(gone_too, n).await?;
    } else {
        ctx.step(gone, n).await?;
    }
    n = ctx.step(made, n).await?;
    #[cfg(any())]
    for item in 0..n {
        #[cfg(all())]
        ctx.step(gone, item).await?;
    }
    #[cfg(any())]
    #[allow(unused)]
    let Pair { left, right } = match n {
        1 => ctx.step(gone, 2).await?,
        _ => Pair { left: ctx.step(gone, 1).await?, right: 1 },
    };
    match n {
        #[cfg(any())]
        0 => {
            ctx.step(gone, n).await?;
        }
        #[cfg(all())]
        1 => {
            ctx.step(stays, n).await?;
        }
        #[cfg(any())]
        2 => n = ctx.step(gone, n).await?,
        _ => n = ctx.step(stays, n).await?,
    }
    // once there, once not
    #[cfg(any())]
    ctx.step(only_once, n).await?;
    n = ctx.step(only_once, n).await?;
    let pair = Pair {
        left: ctx.step(made, n).await?,
        #[cfg(any())]
        gone: ctx.step(gone, n).await?,
        #[cfg(all())]
        right: ctx.step(here, n).await?,
    };
    let (a, b) = ctx.parallel((here, made), pair.left).await?;
    #[cfg(any())]
    let (a, b) = ctx.parallel((here, gone), n).await?;
    #[cfg(any())]
    ctx.for_each(gone.connect_input(|n: u32| n), vec![n]).await?;
    #[cfg(not(any()))]
    return helper(&ctx, a + b + pair.right).await;
    #[cfg(any())]
    return ctx.step(gone, a).await;
}

async fn helper(ctx: &Ctx<'_, written>, n: u32) -> Result<u32> {
    ctx.step(made, n).await
}

#[block(handler)]
async fn only_once(n: u32) -> Result<u32> {
    Ok(n)
}

#[block(sequencer, state = Note)]
fn chain(n: u32) -> u32 {
    n.step(here)
        .step_all([
            #[cfg(any())]
            gone,
            here,
            #[cfg(all())]
            made,
            #[cfg(any())]
            (|n| n, gone),
        ])
        .map(|all| all[0] + all[1])
        .step_any([
            #[cfg(any())]
            gone,
            #[cfg(all())]
            here,
        ])
        .race([
            #[cfg(any())]
            gone,
            here,
        ])
        .parallel(Pair {
            left: here,
            #[cfg(any())]
            gone: gone,
            #[cfg(all())]
            right: made,
        })
        .map(|pair| vec![pair.left, pair.right])
        .for_each(
            |n| if *n > 0 { Each::Here } else { Each::Made },
            blocks = [
                here,
                #[cfg(all())]
                made,
                #[cfg(any())]
                gone,
                #[cfg(any())]
                named = gone,
            ],
        )
        .map(|all| all[0])
        .branch(
            #[cfg(any())]
            (|n| *n > 0, gone),
            #[cfg(all())]
            (|n| *n > 1000, here),
            #[cfg(any())]
            (|n| n, |n| *n > 0, gone),
            made,
        )
}

flow! {
    pub struct Parts {
        #[cfg(any())]
        pub gone: gone,
        #[cfg(all())]
        pub chain: chain,
        /// The one.
        #[cfg(all())]
        pub same: chain,
        #[cfg(any())]
        pub same: gone,
    }
}

#[cfg(any())]
flow! {
    pub struct GoneFlow {
        pub gone: gone,
    }
}

flow! {
    #[cfg(any())]
    pub struct GoneToo {
        pub gone: gone,
    }
}

pub async fn check() -> Result<()> {
    assert_eq!(flowstate::run(written, 0).await?, 42);
    let app = App::builder().flow(Parts).build()?;
    assert_eq!(app.request().call(Parts::chain, 0).await?, 9);
    assert_eq!(app.request().call(Parts::same, 0).await?, 9);
    Ok(())
}
