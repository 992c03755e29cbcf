//! Every way to write a block's signature, and what a block can stand for.

use std::borrow::Cow;
use std::fmt;

use flowstate::block::{AsBlock, At, Block};
use flowstate::prelude::*;
use flowstate::schema::{Head, Kind};

#[state]
struct Tally {
    count: u32,
}

#[data]
#[derive(PartialEq)]
struct Point {
    x: i32,
    y: i32,
}

#[data]
#[derive(PartialEq)]
struct Wrapper(u32, String);

#[data]
#[derive(PartialEq, Eq, Hash, Default)]
enum Shape {
    #[default]
    Nothing,
    Round(u32),
    Square {
        side: u32,
    },
}

/// `run` of a block gives the value.
macro_rules! gives {
    ($($block:expr, $input:expr => $output:expr;)*) => {$(
        assert_eq!(flowstate::run($block, $input).await.unwrap(), $output, "{}", stringify!($block));
    )*};
}

#[tokio::test]
async fn contexts() {
    #[block(handler)]
    async fn without(input: u32) -> Result<u32> {
        Ok(input + 1)
    }
    #[block(handler, state = Tally)]
    async fn owned(input: u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.count.inc(input)?;
        Ok(ctx.self_.count.get())
    }
    #[block(handler, state = Tally)]
    async fn borrowed(input: u32, ctx: &Ctx) -> Result<u32> {
        ctx.self_.count.inc(input)?;
        helper(ctx).await
    }
    async fn helper(ctx: &Ctx<'_, borrowed>) -> Result<u32> {
        ctx.self_.count.inc(1)?;
        Ok(ctx.self_.count.get())
    }
    #[block(handler, state = Tally)]
    async fn another_name(input: u32, context: Ctx) -> Result<u32> {
        context.self_.count.inc(input).map(|_| context.self_.count.get())
    }
    #[block(handler)]
    async fn unused(input: u32, _: Ctx) -> Result<u32> {
        Ok(input)
    }
    #[block(handler)]
    async fn without_state(_: (), ctx: Ctx) -> Result<(String, String)> {
        Ok((ctx.block().into(), ctx.path()))
    }
    #[block(handler, state = Tally)]
    fn not_async(input: u32, ctx: Ctx) -> Result<u32> {
        ctx.self_.count.inc(input).map(|_| ctx.self_.count.get())
    }
    #[block(handler)]
    fn not_async_without(input: u32) -> Result<u32> {
        Ok(input * 2)
    }
    #[block(sequencer, state = Tally)]
    async fn straight(input: u32, ctx: &Ctx) -> Result<u32> {
        ctx.self_.count.inc(ctx.step(without, input).await?)?;
        Ok(ctx.self_.count.get())
    }
    let name = "without_state".to_string();
    gives! {
        without, 1 => 2; owned, 3 => 3; borrowed, 3 => 4; another_name, 3 => 3; unused, 3 => 3;
        without_state, () => (name.clone(), name.clone()); not_async, 3 => 3; not_async_without, 3 => 6;
        straight, 3 => 4;
    }
}

#[tokio::test]
async fn patterns() {
    #[block(handler)]
    async fn tuple((a, b): (u32, u32)) -> Result<u32> {
        Ok(a * 10 + b)
    }
    #[block(handler, state = Tally)]
    async fn nested(((a, _), [b, ..]): ((u32, String), [u32; 3]), ctx: Ctx) -> Result<u32> {
        ctx.self_.count.set(a + b)?;
        Ok(ctx.self_.count.get())
    }
    #[block(handler)]
    async fn structure(Point { x, y: other }: Point) -> Result<i32> {
        Ok(x - other)
    }
    #[block(handler)]
    async fn tuple_structure(Wrapper(n, text): Wrapper) -> Result<String> {
        Ok(text.repeat(n as usize))
    }
    #[block(handler)]
    async fn ignored(_: String) -> Result<()> {
        Ok(())
    }
    #[block(handler)]
    async fn mutable(mut list: Vec<u32>) -> Result<Vec<u32>> {
        list.reverse();
        Ok(list)
    }
    #[block(sequencer)]
    async fn in_a_sequencer((a, b): (u32, u32), ctx: Ctx) -> Result<u32> {
        ctx.step(tuple, (b, a)).await
    }
    gives! {
        tuple, (1, 2) => 12; nested, ((1, String::new()), [4, 5, 6]) => 5; structure, Point { x: 5, y: 3 } => 2;
        tuple_structure, Wrapper(2, "ab".into()) => "abab"; ignored, "x".to_string() => ();
        mutable, vec![1, 2] => vec![2, 1]; in_a_sequencer, (1, 2) => 21;
    }
}

#[tokio::test]
async fn borrowed_inputs() {
    #[block(handler)]
    async fn text(input: &str) -> Result<usize> {
        tokio::task::yield_now().await;
        Ok(input.len())
    }
    #[block(handler, state = Tally)]
    async fn slice(input: &[u32], ctx: Ctx) -> Result<u32> {
        ctx.self_.count.inc(input.iter().sum())?;
        Ok(ctx.self_.count.get())
    }
    #[block(handler)]
    fn value(Point { x, y }: &Point) -> Result<i32> {
        Ok(x + y)
    }
    #[block(sequencer)]
    fn chained(input: String) -> usize {
        input.tap(text).step(text)
    }
    #[block(sequencer)]
    async fn straight(input: &str, ctx: Ctx) -> Result<usize> {
        ctx.step(text, format!("{input}{input}")).await
    }
    gives! {
        text, "four".to_string() => 4; slice, vec![1, 2] => 3; value, Point { x: 1, y: 2 } => 3;
        chained, "four".to_string() => 4; straight, "four".to_string() => 8;
    }
}

#[derive(Debug, thiserror::Error)]
#[error("worse than {0}")]
struct Worse(u32);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[tokio::test]
async fn error_types() {
    #[block(handler)]
    async fn own(n: u32) -> Result<u32, Worse> {
        Err(Worse(n))
    }
    #[block(handler)]
    async fn string(n: u32) -> Result<u32, String> {
        Err(format!("worse than {n}"))
    }
    #[block(handler)]
    async fn literal(_: u32) -> Result<u32, &'static str> {
        Err("worse than 1")
    }
    #[block(handler)]
    async fn cow(n: u32) -> Result<u32, Cow<'static, str>> {
        Err(format!("worse than {n}").into())
    }
    #[block(handler)]
    async fn boxed(n: u32) -> Result<u32, BoxError> {
        Err(Worse(n))?
    }
    #[block(handler)]
    async fn io(n: u32) -> std::io::Result<u32> {
        Err(std::io::Error::other(Worse(n)))
    }
    #[block(handler)]
    fn any(n: u32) -> anyhow::Result<u32> {
        Err(Worse(n))?
    }
    #[block(handler)]
    async fn framework(n: u32) -> Result<u32> {
        Err(Worse(n))?
    }
    #[block(handler)]
    async fn spelled_out(n: u32) -> std::result::Result<u32, flowstate::Error> {
        Err(Worse(n).into())
    }
    macro_rules! fails {
        ($($block:ident, $is:literal;)*) => {$({
            let error = flowstate::run($block, 1).await.unwrap_err();
            let found = (error.to_string(), error.code().to_owned(), error.block(), error.is::<Worse>());
            let name = stringify!($block);
            assert_eq!(found, ("worse than 1".to_string(), "block_failed".to_string(), Some(name), $is), "{name}");
        })*};
    }
    fails! {
        own, true; string, false; literal, false; cow, false; boxed, true; any, true; framework, true;
        spelled_out, true; io, false;
    }
    // (an `io::Error` does not give what it wraps as its source)
    assert!(flowstate::run(io, 1).await.unwrap_err().is::<std::io::Error>());
}

/// Says what it is for.
///
/// In two paragraphs.
#[block(handler)]
#[allow(clippy::let_and_return)]
#[deny(unused_mut)]
async fn documented(input: u32) -> Result<u32> {
    let same = input;
    Ok(same)
}

#[block(handler, description = "From the option")]
/// Not this.
#[cfg(test)]
async fn described(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
#[cfg(any())]
async fn left_out(input: NoSuchType) -> Result<u32> {
    Ok(input)
}

/// Takes the place of one that is left out.
#[block(handler)]
#[cfg(not(any()))]
async fn left_out(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn runs_them(input: u32) -> u32 {
    input.step(documented).step(described).step(left_out)
}

#[tokio::test]
async fn documentation_and_attributes() {
    assert_eq!(documented::HEAD.description, "Says what it is for.\n\nIn two paragraphs.");
    assert_eq!(described::HEAD.description, "From the option");
    assert_eq!(runs_them::HEAD.description, "");
    gives! { runs_them, 4 => 4; }
}

#[block(handler)]
async fn r#match(r#type: u32) -> Result<u32> {
    Ok(r#type + 1)
}

#[block(sequencer, state = Tally)]
fn r#loop(r#in: u32) -> u32 {
    r#in.tap(|_, ctx| ctx.self_.count.inc(1)).step(r#match).step(r#match)
}

#[tokio::test]
async fn raw_identifiers() {
    assert_eq!((r#match::HEAD.name, r#loop::HEAD.name), ("match", "loop"));
    gives! { r#loop, 1 => 3; }
}

mod elsewhere {
    pub(super) mod deeper {
        use flowstate::prelude::*;

        #[state]
        pub(in super::super) struct Tally {
            pub count: u32,
            hidden: u32,
        }

        /// A block with a private state of its own.
        #[state]
        struct Secret {
            count: u32,
        }

        #[block(handler, state = Tally)]
        pub(in super::super) async fn twin(input: u32, ctx: Ctx) -> Result<u32> {
            ctx.self_.update(|tally| tally.hidden += input)?;
            ctx.self_.count.inc(ctx.self_.hidden.get() * 2)?;
            Ok(ctx.self_.count.get())
        }

        #[block(handler, state = Secret)]
        pub(in super::super) async fn secretive(input: u32, ctx: Ctx) -> Result<u32> {
            ctx.self_.count.inc(input).map(|_| ctx.self_.count.get())
        }

        pub(in super::super) fn public_fields(tally: &Local<'_, Tally>) -> Result<bool> {
            tally.hidden.set(1)
        }
    }
    pub(super) mod other {
        use flowstate::prelude::*;

        #[block(handler)]
        pub(in super::super) async fn twin(input: u32) -> Result<u32> {
            Ok(input * 3)
        }
    }
    pub(super) use deeper::twin as renamed;
}

#[tokio::test]
async fn blocks_of_other_modules() {
    use elsewhere::deeper::{Tally, public_fields};
    use elsewhere::other::twin as triple;

    #[block(sequencer)]
    fn by_path(input: u32) -> u32 {
        input
            .step(elsewhere::deeper::twin)
            .step(elsewhere::other::twin)
            .step(crate::block_forms::elsewhere::deeper::secretive)
    }
    #[block(sequencer)]
    fn by_alias(input: u32) -> u32 {
        input.step(elsewhere::renamed).step(triple).loop_back(triple, max_iterations = 1)
    }
    #[block(sequencer, state = Tally)]
    async fn straight(input: u32, ctx: Ctx) -> Result<u32> {
        public_fields(&ctx.self_)?;
        ctx.self_.count.inc(ctx.step(elsewhere::renamed, input).await?)?;
        ctx.self_.count.inc(ctx.step(self::elsewhere::other::twin, input).await?)?;
        Ok(ctx.self_.count.get())
    }
    gives! { by_path, 1 => 6; by_alias, 1 => 18; straight, 1 => 5; elsewhere::renamed, 2 => 4; triple, 2 => 6; }
}

/// Made by hand, and no less a block.
#[derive(Debug, Clone, Copy, Default, AsBlock)]
#[allow(non_camel_case_types)]
struct by_hand {}

const fn by_hand() -> by_hand {
    by_hand {}
}

impl Block for by_hand {
    type Input = u32;
    type Output = String;
    const HEAD: &'static Head = &Head::new("by_hand", Kind::Handler);

    async fn run(&self, input: u32, at: At<'_>) -> Result<String> {
        if input == 0 { Err(Error::msg(format!("{at:?}"))) } else { Ok("x".repeat(input as usize)) }
    }
}

#[tokio::test]
async fn a_block_by_hand() {
    #[block(sequencer)]
    fn chained(input: u32) -> usize {
        input.tap(by_hand).step(by_hand).map(|text| text.len())
    }
    #[block(sequencer)]
    async fn straight(input: u32, ctx: Ctx) -> Result<String> {
        ctx.step(by_hand, input).await
    }
    gives! { by_hand, 2 => "xx"; chained, 3 => 3; straight, 1 => "x"; }
    let error = flowstate::run(chained, 0).await.unwrap_err();
    assert_eq!((error.path(), error.block()), ("chained > by_hand", Some("by_hand")));
}

#[tokio::test]
async fn values_are_data() {
    #[block(handler)]
    async fn shapes(input: Vec<Shape>) -> Result<Option<Shape>> {
        Ok(input.into_iter().max_by_key(|shape| match shape {
            Shape::Nothing => 0,
            Shape::Round(n) | Shape::Square { side: n } => *n,
        }))
    }
    #[block(handler)]
    async fn wraps(input: Wrapper) -> Result<(Wrapper, Shape)> {
        Ok((Wrapper(input.0 + 1, input.1), Shape::default()))
    }
    gives! {
        shapes, vec![Shape::Round(3), Shape::Square { side: 4 }, Shape::Nothing] => Some(Shape::Square { side: 4 });
        wraps, Wrapper(1, "a".into()) => (Wrapper(2, "a".into()), Shape::Nothing);
    }
    let json = serde_json::to_string(&(Shape::Square { side: 1 }, Wrapper(1, "a".into()))).unwrap();
    assert_eq!(json, r#"[{"Square":{"side":1}},[1,"a"]]"#);
}

#[data]
#[derive(Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
struct OwnDerives {
    two_words: u32,
}

#[data]
struct OwnDebug {
    password: String,
}

/// A derive from elsewhere, and an implementation by hand beside ours.
impl fmt::Display for OwnDebug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&"*".repeat(self.password.len()))
    }
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct DerivedState {
    shape: Shape,
    data: Option<OwnDerives2>,
}

#[data]
#[derive(PartialEq)]
struct OwnDerives2 {
    n: u32,
}

#[tokio::test]
async fn derives_below_are_left_alone() {
    #[block(handler, state = DerivedState)]
    async fn keeps(input: OwnDerives, ctx: Ctx) -> Result<DerivedState> {
        ctx.self_.data.set(Some(OwnDerives2 { n: input.two_words }))?;
        ctx.self_.shape.set(Shape::Round(1))?;
        Ok(ctx.self_.get())
    }
    let input = OwnDerives { two_words: 3 };
    assert_eq!(serde_json::to_string(&input).unwrap(), r#"{"two-words":3}"#);
    gives! { keeps, input => DerivedState { shape: Shape::Round(1), data: Some(OwnDerives2 { n: 3 }) }; }
    assert_eq!(OwnDebug { password: "abc".into() }.to_string(), "***");
}

/// Every part of a block, from the arguments of a `macro_rules!` macro.
macro_rules! made {
    ($name:ident, $chain:ident, $straight:ident, $input:ty, $output:ty, $state:ty, |$v:ident| $body:expr) => {
        #[block(handler, state = $state)]
        async fn $name($v: $input, ctx: Ctx) -> Result<$output> {
            ctx.self_.count.inc(1)?;
            Ok($body)
        }
        #[block(sequencer, state = $state)]
        fn $chain(input: $input) -> $output {
            input.tap($name).step($name).tap(|_, ctx| ctx.self_.count.inc(1))
        }
        #[block(sequencer, state = $state)]
        async fn $straight(input: $input, ctx: Ctx) -> Result<$output> {
            ctx.self_.count.inc(1)?;
            ctx.step($name, input).await
        }
    };
}
made!(made_handler, made_chain, made_sequencer, u32, String, Tally, |n| n.to_string());

#[tokio::test]
async fn blocks_made_by_a_macro() {
    gives! { made_handler, 1 => "1"; made_chain, 2 => "2"; made_sequencer, 3 => "3"; }
}

#[tokio::test]
async fn blocks_are_values() {
    fn is_small<B: Copy + fmt::Debug + Default + Send + Sync + 'static>(_: B) -> usize {
        size_of::<B>()
    }
    assert_eq!(is_small(documented()), 0);
    // the name of a block is no pattern, so that variables may be called like it
    let documented = 5;
    assert_eq!(documented, 5);
    gives! { self::documented, 2 => 2; described, 2 => 2; }
}

/// Services, capabilities and contracts that are keywords in snake case.
mod keywords {
    use super::*;

    struct Gen(u8);
    struct Type(u8);
    struct Crate(u8);

    #[capability]
    struct Match;

    #[capability]
    impl Match {
        fn shown(ctx: &Ctx) -> String {
            ctx.block().to_owned()
        }
    }

    #[state]
    struct Super {
        count: u32,
    }

    #[contract]
    impl Super {
        #[reducer]
        fn add(&mut self, by: u32) {
            self.count += by;
        }
        #[reader]
        fn count(&self) -> String {
            self.count.to_string()
        }
    }

    #[block(
        handler, needs = [Gen, Type, Crate], uses = [Match], reads = [Super::count(unlimited)], writes = [Super],
    )]
    async fn all(by: u32, ctx: Ctx) -> Result<(u8, String, String)> {
        ctx.writes.super_.add(by).await?;
        let sum = ctx.needs.r#gen.0 + ctx.needs.r#type.0 + ctx.needs.crate_.0;
        Ok((sum, ctx.cap.r#match.shown(), ctx.reads.super_.count().await?))
    }

    #[tokio::test]
    async fn as_fields_of_the_context() {
        let tested = flowstate::test(all).provide(Gen(1)).provide(Type(2)).provide(Crate(3)).run(4);
        assert_eq!(tested.await.unwrap().output, (6, "all".into(), "4".into()));
    }
}
