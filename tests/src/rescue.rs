//! Recovering: a chain's clauses, a block's own rescue, what can be seen of it afterwards, and what is never recovered.

use flowstate::error::StateError;
use flowstate::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("quota: {0}")]
struct Quota(String);

#[derive(Debug, thiserror::Error)]
#[error("network")]
struct Network;

#[derive(Debug, thiserror::Error)]
#[error("top")]
struct Top(#[source] Quota);

#[state]
struct Trail {
    seen: Vec<String>,
}

/// Fails as its input says.
#[block(handler)]
async fn call(input: String) -> Result<String> {
    fails(&input)
}

fn fails(input: &str) -> Result<String> {
    match input {
        "quota" => Err(Quota("used up".into()).into()),
        "top" => Err(Top(Quota("below".into())).into()),
        "network" => Err(Network.into()),
        "code" => Err(Error::with_code("own_code", "with a code")),
        "panic" => panic!("panicked"),
        "state" => Err(StateError::Reentrant { state: "Trail" }.into()),
        "own_suspended" => Err(Error::with_code("suspended", "their own word")),
        "own_cancelled" => Err(Error::with_code("cancelled", "their own word")),
        "suspended" => Err(Error::stop("suspended", "waiting")),
        "cancelled" => Err(Error::stop("cancelled", "stopped")),
        other => Ok(format!("ok {other}")),
    }
}

#[block(handler)]
async fn of_quota(error: Rescued) -> Result<String> {
    Ok(format!("quota: {error}"))
}

#[block(handler)]
async fn of_code(error: Rescued) -> Result<String> {
    Ok(format!("code: {error}"))
}

#[block(handler)]
async fn of_all(error: Rescued) -> Result<String> {
    Ok(format!("all: {error}"))
}

#[block(handler)]
async fn fails_too(error: Rescued) -> Result<String> {
    Err(Error::with_code("fallback", format!("fallback of {error}")))
}

#[block(handler)]
async fn exclaim(text: String) -> Result<String> {
    Ok(format!("{text}!"))
}

fn own(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn the_first_clause_that_matches() {
    #[block(sequencer)]
    fn clauses(input: String) -> String {
        input
            .step(call)
            .step(exclaim)
            .rescue::<Quota>(of_quota)
            .rescue(code = "own_code", of_code)
            .rescue::<StateError>(fails_too)
            .rescue(of_all)
    }
    #[block(sequencer)]
    fn some(input: String) -> String {
        input.step(call).step(exclaim).rescue::<Quota>(of_quota).rescue::<Error>(fails_too)
    }
    #[block(sequencer)]
    fn few(input: String) -> String {
        input.step(call).step(exclaim).rescue::<Network>(of_all).rescue(code = "own_code", of_code)
    }
    for (input, output) in [
        ("fine", "ok fine!"),
        ("quota", "quota: quota: used up"),
        ("top", "quota: top"),
        ("code", "code: with a code"),
        ("network", "all: network"),
        ("panic", "all: the block panicked: panicked"),
    ] {
        assert_eq!(flowstate::run(clauses, own(input)).await.unwrap(), output, "{input}");
    }
    let error = flowstate::run(clauses, own("state")).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("fallback", "clauses > fails_too"));
    let error = flowstate::run(some, own("network")).await.unwrap_err();
    assert_eq!(error.to_string(), "fallback of network");
    let error = flowstate::run(few, own("quota")).await.unwrap_err();
    assert!(error.is::<Quota>(), "no clause takes it, so it leaves");
    assert_eq!(error.path(), "few > call");
    assert_eq!(flowstate::run(few, own("network")).await.unwrap(), "all: network");
}

/// Each part of a chain may fail, the user's functions too.
#[tokio::test]
async fn a_chain_covers_all_its_parts() {
    macro_rules! covers {
        ($($name:ident: [$($chain:tt)*] => $expected:literal;)*) => {$({
            #[block(sequencer, state = Trail)]
            fn $name(input: String) -> String {
                input $($chain)* .step(unreachable).rescue(describe)
            }
            let out = flowstate::run($name, own("quota")).await.unwrap();
            assert_eq!(out, $expected, stringify!($name));
        })*};
    }
    #[block(handler)]
    async fn unreachable(_: String) -> Result<String> {
        Ok(own("the chain went on"))
    }
    #[block(handler)]
    async fn describe(error: Rescued) -> Result<String> {
        Ok(format!("{} {error} in {} of {:?}", error.code(), error.path(), error.block()))
    }
    covers! {
        a: [.step(call)] => r#"block_failed quota: used up in a > call of Some("call")"#;
        b: [.try_map(|text| fails(&text))] => r#"block_failed quota: used up in b of Some("b")"#;
        c: [.try_map(async |text| fails(&text))] => r#"block_failed quota: used up in c of Some("c")"#;
        d: [.tap(|text| fails(text).map(|_| ()))] => r#"block_failed quota: used up in d of Some("d")"#;
        e: [.map(|_| panic!("mapped")).map(|text: String| text)] => r#"block_panicked the block panicked: mapped in e of Some("e")"#;
        f: [.step_if(|_| panic!("asked"), call)] => r#"block_panicked the block panicked: asked in f of Some("f")"#;
        g: [.throw_if(|_| true, Error::with_code("thrown", "thrown"))] => r#"thrown thrown in g of Some("g")"#;
        h: [.branch((|_| false, call))] => r#"no_branch no arm of the `branch` took the value in h of Some("h")"#;
        i: [.do_until(exclaim, |_| false, max_iterations = 2)] => r#"loop_limit `do_until` has run `exclaim` 2 times, which is its limit in i of Some("i")"#;
        j: [.for_each(|text| vec![text], call).map(|list| list[0].clone())] => r#"block_failed quota: used up in j > call[0] of Some("call")"#;
        k: [.parallel((exclaim, call)).map(|(text, _)| text)] => r#"block_failed quota: used up in k > call[1] of Some("call")"#;
        l: [.step(|_| panic!("connected"), exclaim)] => r#"block_panicked the block panicked: connected in l of Some("l")"#;
        m: [.step_any([call, (|_| own("network"), call)])] => r#"all_failed every block of the `step_any` failed: quota: used up; network in m of Some("m")"#;
        n: [.exit_if(|_| panic!("left"))] => r#"block_panicked the block panicked: left in n of Some("n")"#;
        o: [.step(exclaim).step(|_| own("quota"), call).loop_back(exclaim, max_iterations = 2)] => r#"block_failed quota: used up in o > call of Some("call")"#;
    }
}

/// The rescue block sees the sequencer's state, as it was left.
#[tokio::test]
async fn a_rescue_block_is_a_child_of_its_sequencer() {
    #[block(handler, parent = Trail, sequencer = Trail)]
    async fn looks(error: Rescued, ctx: Ctx) -> Result<String> {
        ctx.sequencer.seen.push(ctx.path())?;
        Ok(format!("{error}; {}", ctx.parent.seen.get().join(", ")))
    }
    #[block(sequencer, state = Trail)]
    fn chain(input: String) -> String {
        input.tap(|_, ctx| ctx.self_.seen.push(own("before"))).step(call).rescue(looks)
    }
    #[block(sequencer, state = Trail)]
    fn block_rescued(input: String) -> String {
        input
            .tap(|_, ctx| ctx.self_.seen.push(own("before")))
            .step(call.rescue::<Error>(looks))
            .step(exclaim)
    }
    #[block(sequencer)]
    fn rescues(error: Rescued) -> String {
        error.map(|error| error.code().to_owned()).step(exclaim)
    }
    #[block(sequencer)]
    fn by_a_sequencer(input: String) -> String {
        input.step(call).rescue(rescues)
    }
    let out = flowstate::run(chain, own("network")).await.unwrap();
    assert_eq!(out, "network; before, chain > looks");
    let out = flowstate::run(block_rescued, own("network")).await.unwrap();
    assert_eq!(out, "network; before, block_rescued > looks!");
    assert_eq!(flowstate::run(by_a_sequencer, own("code")).await.unwrap(), "own_code!");
}

#[tokio::test]
async fn a_block_of_any_sort_has_a_rescue() {
    #[block(sequencer)]
    fn inner(input: String) -> String {
        input
            .step(exclaim)
            .step(|text| text.trim_end_matches('!').to_owned(), call)
            .rescue::<Quota>(of_quota)
    }
    #[block(sequencer)]
    async fn written(input: String, ctx: Ctx) -> Result<String> {
        ctx.step(inner, input).await
    }
    #[block(sequencer)]
    fn all(input: String) -> Vec<String> {
        input.step_all([
            call.rescue::<Error>(of_all),
            inner.rescue::<Error>(of_all),
            written
                .rescue_code("own_code", of_code)
                .rescue::<Network>(of_quota)
                .rescue::<Error>(of_all),
            call.connect_input(|text: String| text)
                .rescue::<Error>(of_all)
                .connect_output(|text| text + "?"),
        ])
    }
    #[block(sequencer)]
    fn each(inputs: Vec<String>) -> Vec<String> {
        inputs.for_each(call.rescue::<Error>(of_all), max_concurrency = 2)
    }
    let run = async |input: &str| flowstate::run(all, own(input)).await.unwrap().join(" | ");
    assert_eq!(run("x").await, "ok x | ok x | ok x | ok x?");
    assert_eq!(
        run("quota").await,
        "all: quota: used up | quota: quota: used up | quota: quota: used up | all: quota: used up?"
    );
    assert_eq!(
        run("network").await,
        "all: network | all: network | quota: network | all: network?"
    );
    assert_eq!(
        run("code").await,
        "all: with a code | all: with a code | code: with a code | all: with a code?"
    );
    let out = flowstate::run(each, ["a", "network", "b"].map(own).to_vec()).await.unwrap();
    assert_eq!(out, ["ok a", "all: network", "ok b"]);
    // as a root
    assert_eq!(
        flowstate::run(call.rescue::<Network>(of_all), own("network")).await.unwrap(),
        "all: network"
    );
    let error = flowstate::run(call.rescue::<Network>(of_all), own("quota")).await.unwrap_err();
    assert_eq!(error.path(), "call");
    let error =
        flowstate::run(call.rescue::<Network>(fails_too), own("network")).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("fallback", "fails_too"));
    let rescued_twice = call.rescue::<Network>(fails_too).rescue::<Error>(of_all);
    assert_eq!(
        flowstate::run(rescued_twice, own("network")).await.unwrap(),
        "all: fallback of network"
    );
}

#[tokio::test]
async fn suspensions_and_cancellations_are_never_rescued() {
    #[block(sequencer)]
    fn chain(input: String) -> String {
        input.step(call).rescue(code = "suspended", of_code).rescue(of_all)
    }
    #[block(sequencer)]
    fn own_function(input: String) -> String {
        input.try_map(|text| fails(&text)).rescue::<Error>(of_all)
    }
    for code in ["suspended", "cancelled"] {
        let error = flowstate::run(chain, own(code)).await.unwrap_err();
        assert_eq!((error.code(), error.path()), (code, "chain > call"));
        let error = flowstate::run(own_function, own(code)).await.unwrap_err();
        assert_eq!((error.code(), error.path()), (code, "own_function"));
        let block = call.rescue::<Error>(of_all).rescue_code("suspended", of_all);
        assert_eq!(flowstate::run(block, own(code)).await.unwrap_err().code(), code);
    }
}

#[tokio::test]
async fn a_failure_with_the_code_of_a_suspension_is_a_failure() {
    #[block(sequencer)]
    fn chain(input: String) -> String {
        input.step(call).rescue(of_all)
    }
    for code in ["own_suspended", "own_cancelled"] {
        assert_eq!(flowstate::run(chain, own(code)).await.unwrap(), "all: their own word");
    }
}

#[tokio::test]
async fn what_was_rescued() {
    #[block(handler)]
    async fn sibling(text: String, ctx: Ctx) -> Result<String> {
        Ok(format!("{text} {}", ctx.was_rescued(call)))
    }
    #[block(sequencer)]
    fn last_run(inputs: Vec<String>) -> String {
        inputs
            .map(|inputs, ctx| {
                assert!(!ctx.was_rescued(call), "it has not run");
                inputs
            })
            .step(|inputs| inputs.concat(), call.rescue::<Error>(of_all))
            .map(|text, ctx| {
                format!("{text} {} {}", ctx.was_rescued(call), ctx.was_rescued(exclaim))
            })
            .step(sibling)
    }
    let run = async |input: &str| flowstate::run(last_run, vec![own(input)]).await.unwrap();
    assert_eq!(run("network").await, "all: network true false true");
    assert_eq!(run("x").await, "ok x false false false");

    /// In a loop it is the last run that counts.
    #[block(sequencer, state = Trail)]
    fn in_a_loop(inputs: Vec<String>) -> String {
        inputs
            .step(|mut inputs| inputs.split_off(1).into_iter().chain(inputs).collect(), rotate)
            .tap(|inputs| inputs[0].clone(), call.rescue::<Error>(of_all))
            .tap(|_, ctx| ctx.self_.seen.push(ctx.was_rescued(call).to_string()))
            .loop_back(rotate, max_iterations = 3)
            .map(|_, ctx| ctx.self_.seen.get().join(" "))
    }
    #[block(handler)]
    async fn rotate(inputs: Vec<String>) -> Result<Vec<String>> {
        Ok(inputs)
    }
    let inputs = ["a", "network", "b", "quota"].map(own).to_vec();
    assert_eq!(flowstate::run(in_a_loop, inputs).await.unwrap(), "true false true false");

    /// One clean, one rescued, one whose rescue fails, one that no rescue takes.
    #[block(sequencer)]
    async fn written(_: (), ctx: Ctx) -> Result<Vec<bool>> {
        let mut all = vec![ctx.was_rescued(call)];
        ctx.step(call.rescue::<Network>(of_all), own("network")).await?;
        all.push(ctx.was_rescued(call));
        ctx.step(call.rescue::<Network>(of_all), own("quota")).await.unwrap_err();
        all.push(ctx.was_rescued(call));
        ctx.step(call.rescue::<Error>(of_all), own("quota")).await?;
        all.push(ctx.was_rescued(call));
        ctx.step(call.rescue::<Error>(fails_too), own("quota")).await.unwrap_err();
        all.push(ctx.was_rescued(call));
        // the inner one
        ctx.step(call.rescue::<Error>(of_all).rescue::<Network>(of_quota), own("quota")).await?;
        all.push(ctx.was_rescued(call));
        ctx.step(call.rescue::<Error>(of_all), own("fine")).await?;
        all.push(ctx.was_rescued(call));
        Ok(all)
    }
    let all = flowstate::run(written, ()).await.unwrap();
    assert_eq!(all, [false, true, false, true, false, true, false]);

    /// Each sequencer knows of its own blocks.
    #[block(sequencer)]
    fn outer(input: String) -> (String, bool) {
        input.step(|input| vec![input], last_run).map(|text, ctx| (text, ctx.was_rescued(call)))
    }
    let out = flowstate::run(outer, own("network")).await.unwrap();
    assert_eq!(out, ("all: network true false true".into(), false));
}

#[tokio::test]
async fn what_a_rescue_block_is_given() {
    #[block(handler)]
    async fn same(error: Rescued) -> Result<Rescued> {
        assert_eq!(error.is::<Top>(), error.downcast_ref::<Top>().is_some());
        Ok(error)
    }
    #[block(handler)]
    async fn fails_deep(_: ()) -> Result<Rescued> {
        Err(Top(Quota("below".into())).into())
    }
    #[block(sequencer)]
    fn inner(input: ()) -> Rescued {
        input.step(fails_deep)
    }
    #[block(sequencer)]
    fn outer(input: ()) -> Rescued {
        input.step(inner).rescue(same)
    }
    let error = flowstate::run(outer, ()).await.unwrap();
    assert_eq!((error.message(), error.code()), ("top", "block_failed"));
    assert_eq!((error.block(), error.path()), (Some("fails_deep"), "outer > inner > fails_deep"));
    assert_eq!(error.causes(), ["quota: below"]);
    assert!(error.is::<Quota>() && error.is::<Top>() && !error.is::<Network>());
    assert_eq!(error.downcast_ref::<Quota>().unwrap().0, "below");

    let json = serde_json::to_string(&error).unwrap();
    let read: Rescued = serde_json::from_str(&json).unwrap();
    assert!(!read.is::<Top>(), "the live error is not in it");
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    assert_eq!(
        (read.to_string(), read.code(), read.block()),
        ("top".into(), "block_failed", Some("fails_deep"))
    );
    assert_eq!((read.path(), read.causes()), (error.path(), error.causes()));
}
