//! `flowstate::test`: one block alone, what it is given, and what it leaves behind.

use flowstate::prelude::*;

#[state]
#[derive(PartialEq)]
struct Tally {
    count: u32,
}

#[state]
#[derive(PartialEq)]
struct Plan {
    title: String,
}

struct Step(u32);

#[block(
    handler, state = Tally, parent = [Tally, Plan], sequencer = Plan, targets(outer = Tally, first = Option<Plan>),
    request = Tally, session = Tally, user = Plan, org = [Tally, Plan], needs = [Step]
)]
async fn everything(by: u32, ctx: Ctx) -> Result<u32> {
    let by = by + ctx.needs.step.0;
    ctx.self_.count.inc(by)?;
    ctx.parent.count.inc(by)?;
    ctx.parent.title.update(|title| title.push_str("+parent"))?;
    ctx.sequencer.title.update(|title| title.push_str("+sequencer"))?;
    ctx.targets.outer.count.inc(by)?;
    if let Some(first) = &ctx.targets.first {
        first.title.update(|title| title.push_str("+first"))?;
    }
    ctx.request.count.inc(by)?;
    ctx.session.count.inc(by).await?;
    ctx.user.title.update(|title| title.push_str("+user")).await?;
    ctx.org.count.inc(by).await?;
    ctx.org.title.update(|title| title.push_str("+org")).await?;
    Ok(ctx.self_.count.get())
}

fn tally(count: u32) -> Tally {
    Tally { count }
}

fn plan(title: &str) -> Plan {
    Plan { title: title.into() }
}

#[tokio::test]
async fn a_block_finds_what_it_is_given_and_shows_what_it_left() {
    let test = flowstate::test(everything)
        .parent(tally(9))
        .parent(plan("a"))
        .parent(tally(1))
        .sequencer(plan("b"))
        .target("outer", tally(2))
        .target("first", plan("c"))
        .target("first", tally(7))
        .request(tally(3))
        .session(tally(4))
        .user(plan("d"))
        .org(tally(5))
        .org(plan("e"))
        .provide(Step(10));
    let tested = test.run(10).await.unwrap();
    assert_eq!(tested.output, 20);
    assert_eq!((tested.parent::<Tally>(), tested.parent::<Plan>()), (tally(21), plan("a+parent")));
    assert_eq!(tested.sequencer::<Plan>(), plan("b+sequencer"));
    assert_eq!(tested.target::<Tally>("outer"), tally(22));
    assert_eq!(
        (tested.target::<Plan>("first"), tested.target::<Tally>("first")),
        (plan("c+first"), tally(7))
    );
    assert_eq!((tested.request::<Tally>(), tested.session::<Tally>()), (tally(23), tally(24)));
    assert_eq!(
        (tested.user::<Plan>(), tested.org::<Tally>(), tested.org::<Plan>()),
        (plan("d+user"), tally(25), plan("e+org"),)
    );
}

#[tokio::test]
async fn what_outlives_a_block_has_its_default_where_nothing_is_given() {
    let test = flowstate::test(everything).parent(tally(0)).parent(plan("")).sequencer(plan(""));
    let tested = test.target("outer", tally(0)).provide(Step(0)).run(1).await.unwrap();
    assert_eq!((tested.request::<Tally>(), tested.session::<Tally>()), (tally(1), tally(1)));
    assert_eq!((tested.user::<Plan>(), tested.org::<Plan>()), (plan("+user"), plan("+org")));
    assert_eq!(tested.user::<Tally>(), tally(0), "what the block does not use is as it was");
}

#[tokio::test]
async fn what_is_not_given_is_an_error() {
    let ready = || flowstate::test(everything).provide(Step(0));
    let both = || ready().parent(tally(0)).parent(plan(""));
    for (test, code, says) in [
        (flowstate::test(everything), "need_not_provided", "`Step`"),
        (ready(), "block_misplaced", "parent"),
        (ready().parent(tally(0)), "block_misplaced", "parent"),
        (both(), "block_misplaced", "sequencer"),
        (both().sequencer(tally(0)), "block_misplaced", "sequencer"),
        (both().sequencer(plan("")), "block_misplaced", "outer"),
        (both().sequencer(plan("")).target("outer", plan("")), "block_misplaced", "outer"),
    ] {
        let error = test.run(0).await.unwrap_err();
        assert_eq!(error.code(), code, "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test]
async fn errors_panics_and_sequencers_under_test() {
    #[block(handler, parent = Tally)]
    async fn fails(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.parent.count.inc(n)?;
        match n {
            0 => Err(Error::with_code("zero", "zero")),
            1 => panic!("one"),
            _ => Ok(n),
        }
    }
    #[block(sequencer, state = Tally, parent = Option<Tally>)]
    fn owner(n: u32) -> (u32, Option<u32>) {
        n.step(fails).map(|n, ctx| {
            (n + ctx.self_.count.get(), ctx.parent.as_ref().map(|parent| parent.count.get()))
        })
    }
    let test = || flowstate::test(fails).parent(tally(1));
    assert_eq!(test().run(0).await.unwrap_err().code(), "zero");
    assert_eq!(test().run(1).await.unwrap_err().code(), "block_panicked");
    assert_eq!(test().run(2).await.unwrap().parent::<Tally>(), tally(3));
    assert_eq!(flowstate::test(owner).run(2).await.unwrap().output, (4, None));
    assert_eq!(flowstate::test(owner).parent(tally(6)).run(2).await.unwrap().output, (4, Some(6)));
    assert_eq!(flowstate::test(owner).run(0).await.unwrap_err().block(), Some("fails"));
}

#[tokio::test]
#[should_panic(expected = "Plan")]
async fn a_state_that_was_not_given_cannot_be_looked_at() {
    #[block(handler)]
    async fn nothing(_: ()) -> Result<()> {
        Ok(())
    }
    let _ = flowstate::test(nothing).parent(tally(0)).run(()).await.unwrap().parent::<Plan>();
}

#[tokio::test]
#[should_panic(expected = "elsewhere")]
async fn a_target_that_was_not_given_cannot_be_looked_at() {
    #[block(handler)]
    async fn nothing(_: ()) -> Result<()> {
        Ok(())
    }
    let _ = flowstate::test(nothing).run(()).await.unwrap().target::<Tally>("elsewhere");
}

#[block(handler, parent = Tally)]
async fn counts_and_fails(by: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.count.inc(by)?;
    if by > 1 { Err(Error::with_code("too_much", "no")) } else { Ok(by) }
}

#[tokio::test]
async fn what_a_failed_block_left_behind_can_be_looked_at() {
    let test = || flowstate::test(counts_and_fails).parent(Tally { count: 1 });
    let tested = test().fail(2).await.unwrap();
    assert_eq!((tested.output.code(), tested.parent::<Tally>().count), ("too_much", 3));
    let error = flowstate::test(counts_and_fails).fail(2).await.unwrap_err();
    assert_eq!(error.code(), "block_misplaced");
}

#[tokio::test]
#[should_panic(expected = "`counts_and_fails` did not fail")]
async fn a_block_that_is_to_fail_and_does_not_fails_the_test() {
    let _ = flowstate::test(counts_and_fails).parent(Tally { count: 1 }).fail(1).await;
}
