//! Documentation that is not a plain text, deprecation, and attributes of the user's own.
use flowstate::prelude::*;

#[doc = include_str!("docs.md")]
/// And a line.
#[state]
pub struct Note {
    #[doc = include_str!("docs.md")]
    pub text: String,
    #[doc = concat!("a", "b")]
    #[deprecated]
    pub old: u32,
    #[doc(hidden)]
    pub hidden: u32,
    #[serde(rename = "other_name")]
    pub renamed: u32,
}

#[doc = concat!("one ", "two")]
#[block(handler, parent = Note)]
#[doc(alias = "another")]
#[inline]
#[allow(clippy::all)]
async fn made(n: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.hidden.inc(1).map(|_| n)
}

#[block(handler)]
#[doc = include_str!("docs.md")]
#[must_use = "it is what it gives"]
#[track_caller]
fn other(#[allow(unused_variables)] n: u32) -> Result<u32> {
    Ok(1)
}

#[block(handler)]
#[deprecated(note = "use `other`")]
async fn former(n: u32) -> Result<u32> {
    Ok(n)
}

#[data]
#[doc = include_str!("docs.md")]
#[serde(rename_all = "camelCase")]
#[schemars(title = "data")]
pub struct Data {
    /// Documented.
    #[serde(default)]
    pub a_field: u32,
}

#[block(sequencer, state = Note)]
#[doc = include_str!("docs.md")]
#[allow(deprecated)]
fn chain(n: u32) -> u32 {
    n.step(made).step(other).map(
        #[allow(unused)]
        |x| 2,
    )
}

#[block(sequencer, state = Note)]
#[allow(deprecated)]
async fn uses_former(n: u32, ctx: Ctx) -> Result<u32> {
    #[allow(unused_variables)]
    let x = ctx.step(made, n).await?;
    #[rustfmt::skip]
    let y = ctx.step(other, n).await?;
    Ok(y)
}

flow! {
    #[doc = include_str!("docs.md")]
    #[flow(kind = "attributes")]
    #[derive(PartialEq)]
    pub struct Attributes {
        #[doc = include_str!("docs.md")]
        pub chain: chain,
        #[deprecated]
        #[doc(hidden)]
        pub old: made_alone,
    }
}

#[block(sequencer, state = Note)]
fn made_alone(n: u32) -> u32 {
    n.step(made)
}

pub async fn check() -> Result<()> {
    let app = App::builder().flow(Attributes).build()?;
    assert_eq!(app.request().call(Attributes::chain, 5).await?, 2);
    assert_eq!(flowstate::run(uses_former, 5).await?, 1);
    Ok(())
}
