//! Everything that a sequencer can do, and nothing that a lint would mind.
#![deny(warnings)]

use flowstate::block::{AsBlock, At, Block};
use flowstate::prelude::*;
use flowstate::schema::{Head, Kind};

#[block(handler)]
async fn inc(n: u32) -> Result<u32> {
    Ok(n + 1)
}

#[block(handler, timeout = "5s", retry(max = 3, base = "1ms", max_delay = "10ms", on = [std::io::Error]))]
async fn double(n: u32) -> Result<u32> {
    Ok(n * 2)
}

#[block(handler)]
async fn boom(n: u32) -> Result<u32> {
    Err(Error::msg(format!("{n} is too much")))
}

#[block(handler)]
async fn shout(n: u32) -> Result<String> {
    Ok(format!("{n}!"))
}

#[block(handler)]
async fn zero(_: Rescued) -> Result<u32> {
    Ok(0)
}

#[block(handler)]
async fn sorry(failure: Rescued) -> Result<String> {
    Ok(failure.message().to_owned())
}

/// A block by hand.
#[derive(Debug, Clone, AsBlock)]
pub enum Times {
    Two,
    Many(u32),
}

impl Block for Times {
    type Input = u32;
    type Output = u32;
    const HEAD: &'static Head = &Head::new("times", Kind::Handler);

    async fn run(&self, n: u32, _: At<'_>) -> Result<u32> {
        Ok(match self {
            Self::Two => n * 2,
            Self::Many(times) => n * times,
        })
    }
}

const THRICE: Times = Times::Many(3);

#[data]
pub struct Both {
    left: u32,
    right: String,
}

fn small(n: &u32) -> bool {
    *n < 10
}

fn length(text: String) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

fn checked(
    block: impl IntoBlock<Block: Block<Input = u32, Output = u32>>,
) -> impl Block<Input = u32, Output = u32> {
    block.rescue::<Error>(zero)
}

#[block(sequencer)]
fn fan_out(n: u32) -> (u32, u32, u32) {
    n.parallel(Both { left: inc, right: (|n| n + 1, shout) }, max_concurrency = 2)
        .map(|both| both.left + length(both.right))
        .parallel((inc, (|n| n * 2, double), double.connect_output(|n| n + 1)))
}

#[block(sequencer)]
fn groups(n: u32) -> Vec<u32> {
    n.step_any([boom, (|n| n + 1, inc), double.connect_input(|n: u32| n)])
        .race([boom, inc, double.connect_output(|n| n)])
        .branch((small, inc), (|n| n + 1, |n| *n < 100, double), inc.connect_output(|n| n))
        .branch((|n| *n == 0, inc), double)
        .do_until(inc, |n| *n > 3, max_iterations = 5)
        .do_while(|n| n / 2, inc.connect_input(|n: u32| n), |n| *n < 3)
        .step_if(small, inc.connect_output(|n| n))
        .throw_if(|n| *n > 1000, "too much")
        .throw_if(|n| *n > 1000, |n| format!("{n} is too much"))
        .step_all([inc, double, boom.rescue::<Error>(zero)], max_concurrency = 2)
        .for_each(|n, index| if *n > index as u32 { Each::Inc } else { Each::Twice }, blocks = [inc, twice = double])
        .for_each(inc.connect_input(|n: u32| n))
}

#[block(sequencer)]
fn adapters(text: String) -> String {
    text.step(inc.connect_input(length))
        .step(boom.rescue::<std::io::Error>(zero).rescue::<Error>(zero.connect_output(|n| n)))
        .step(boom.connect_input(|n: u32| n).rescue_code("other", zero).rescue::<Error>(zero))
        .step(checked(inc))
        .step(THRICE.connect_output(|n| n + 1))
        .step(Times::Two.connect_output(|n| n))
        .step(Times::Many(4).rescue::<Error>(zero))
        .tap(inc.connect_output(|n| n))
        .step(boom)
        .step(shout)
        .rescue::<std::io::Error>(sorry)
        .rescue(code = "timeout", sorry)
        .rescue(sorry.connect_output(|text| text))
}

#[block(sequencer)]
fn down(n: u32) -> u32 {
    n.exit_if(|n| *n == 0).map(|n| n - 1).step(again(down))
}

#[block(sequencer)]
async fn written(n: u32, ctx: Ctx) -> Result<Vec<u32>> {
    if n > 10 {
        return ctx.step(again(written), n / 2).await;
    }
    let (a, b) = ctx.parallel((inc, double.connect_output(|n| n + 1)), n).await?;
    let c = ctx.step(boom.rescue::<Error>(zero), a).await?;
    let d = ctx.step(inc.connect_output(|n| n), c).await?;
    assert!(ctx.was_rescued(boom));
    ctx.for_each(inc.connect_input(|n: u32| n), vec![a, b, c, d]).max_concurrency(2).await
}

flow! {
    #[flow(kind = "everything")]
    pub struct Everything {
        pub fan_out: fan_out,
        pub groups: groups,
        pub adapters: adapters,
        pub down: down,
        pub written: written,
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let app = App::builder().flow(Everything).build()?;
    let request = app.request();
    assert_eq!(request.call(Everything::fan_out, 1).await?, (5, 16, 9));
    assert_eq!(app.request().call(Everything::groups, 1).await?.len(), 3);
    assert!(!app.request().call(Everything::adapters, "four".to_owned()).await?.is_empty());
    assert_eq!(app.request().call(Everything::down, 5).await?, 0);
    assert_eq!(app.request().call(Everything::written, 12).await?.len(), 4);
    Ok(())
}
