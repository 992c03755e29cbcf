//! Routers: the routes, what picks one, and what each sees around it.

use std::collections::HashSet;

use flowstate::app::Run;
use flowstate::block::{AsBlock, At, Block};
use flowstate::error::UnknownRouteError;
use flowstate::item::{EventKind, ItemKind};
use flowstate::prelude::*;
use flowstate::schema::{Head, Kind};
use futures_util::StreamExt as _;

#[state]
struct Mode {
    mode: String,
}

#[state]
struct Log {
    lines: Vec<String>,
}

#[block(handler)]
async fn low(n: u32) -> Result<String> {
    Ok(format!("low {n}"))
}

#[block(handler)]
async fn high(n: u32, ctx: Ctx) -> Result<String> {
    Ok(format!("high {n} at {}", ctx.path()))
}

#[block(handler)]
async fn length(text: String) -> Result<usize> {
    Ok(text.len())
}

/// By the size of the number.
#[block(router, routes = [low, high])]
async fn by_size(n: &u32) -> Result<Route> {
    Ok(if *n < 10 { Route::Low } else { Route::High })
}

#[tokio::test]
async fn one_route_runs_under_the_router() {
    assert_eq!(flowstate::run(by_size, 3).await.unwrap(), "low 3");
    assert_eq!(flowstate::run(by_size, 30).await.unwrap(), "high 30 at by_size > high");
    let def = <by_size as Block>::DEF;
    assert_eq!((def.head.kind, def.head.kind.word()), (Kind::Router, "router"));
    assert_eq!(def.head.description, "By the size of the number.");
    assert_eq!(
        def.children.iter().map(|child| child.head.name).collect::<Vec<_>>(),
        ["low", "high"]
    );
}

/// Every way to write the function.
#[tokio::test]
async fn signatures() {
    #[data]
    struct Line {
        text: String,
        n: u32,
    }
    #[block(handler)]
    async fn text(line: Line) -> Result<String> {
        Ok(line.text)
    }
    #[block(handler)]
    async fn n(line: Line) -> Result<String> {
        Ok(line.n.to_string())
    }

    #[block(router, routes = [text, n])]
    fn not_async(line: &Line) -> Result<Route> {
        Ok(if line.n == 0 { Route::Text } else { Route::N })
    }
    #[block(router, routes = [text, n])]
    async fn by_value(Line { n, .. }: Line, ctx: &Ctx) -> Result<Route> {
        assert_eq!(ctx.block(), "by_value");
        Ok(if n == 0 { Route::Text } else { Route::N })
    }
    #[block(router, routes = [text, n])]
    async fn by_its_own_name(line: &Line) -> Result<ByItsOwnNameRoute, std::num::ParseIntError> {
        use Route::{N, Text};
        Ok(if line.text.parse::<u32>()? == 0 { N } else { Text })
    }
    #[block(router, routes = [text, n], state = Mode)]
    fn helped(line: &Line, ctx: Ctx) -> Result<Route> {
        help(line, &ctx)
    }
    fn help(line: &Line, ctx: &Ctx<'_, helped>) -> Result<HelpedRoute> {
        assert!(silent(&ctx.self_));
        if line.n == 0 { Ok(HelpedRoute::Text) } else { Ok(HelpedRoute::N) }
    }
    fn silent(mode: &ReadOnly<'_, Mode>) -> bool {
        mode.mode.with(String::is_empty)
    }

    let line = |n| Line { text: "7".into(), n };
    assert_eq!(flowstate::run(not_async, line(0)).await.unwrap(), "7");
    assert_eq!(flowstate::run(not_async, line(1)).await.unwrap(), "1");
    assert_eq!(flowstate::run(by_value, line(0)).await.unwrap(), "7");
    assert_eq!(flowstate::run(by_value, line(1)).await.unwrap(), "1");
    assert_eq!(flowstate::run(by_its_own_name, line(1)).await.unwrap(), "7");
    assert_eq!(flowstate::run(helped, line(0)).await.unwrap(), "7");
    assert_eq!(flowstate::run(helped, line(1)).await.unwrap(), "1");

    #[block(handler)]
    async fn count(bytes: Vec<u8>) -> Result<usize> {
        Ok(bytes.len())
    }
    #[block(router, routes = [length, long = length])]
    async fn of_text(text: &str) -> Result<Route> {
        Ok(if text.len() > 3 { Route::Long } else { Route::Length })
    }
    #[block(router, routes = [count])]
    async fn of_slice(bytes: &[u8]) -> Result<Route> {
        assert!(!bytes.is_empty());
        Ok(Route::Count)
    }
    #[block(handler)]
    async fn nothing(_: ()) -> Result<()> {
        Ok(())
    }
    #[block(router, routes = [nothing])]
    async fn of_nothing(_: ()) -> Result<Route> {
        Ok(Route::Nothing)
    }
    assert_eq!(flowstate::run(of_text, "four".to_string()).await.unwrap(), 4);
    assert_eq!(flowstate::run(of_slice, vec![1, 2]).await.unwrap(), 2);
    flowstate::run(of_nothing, ()).await.unwrap();
}

/// What `Route` is: an enum of the block's visibility.
#[tokio::test]
async fn the_enum() {
    mod inner {
        use flowstate::prelude::*;

        #[block(handler)]
        pub(super) async fn r#loop(n: u32) -> Result<u32> {
            Ok(n)
        }
        #[block(handler)]
        pub(super) async fn _1(n: u32) -> Result<u32> {
            Ok(n + 1)
        }
        #[block(handler)]
        pub(super) async fn a_b_2(n: u32) -> Result<u32> {
            Ok(n + 2)
        }
        #[block(router, routes = [r#loop, _1, a_b_2, r#match = _1])]
        pub(super) async fn r#type(n: &u32) -> Result<Route> {
            Ok([Route::Loop, Route::Block1, Route::AB2, Route::Match][*n as usize])
        }
    }
    use inner::TypeRoute;
    for (n, output) in [(0, 0), (1, 2), (2, 4), (3, 4)] {
        assert_eq!(flowstate::run(inner::r#type, n).await.unwrap(), output);
    }
    assert_eq!(TypeRoute::KEYS, ["loop", "_1", "a_b_2", "match"]);
    assert_eq!(format!("{:?}", TypeRoute::Loop), "Loop");
    let all: HashSet<TypeRoute> = TypeRoute::KEYS
        .iter()
        .map(|key| {
            let route = TypeRoute::from_key(key).unwrap();
            assert_eq!(route.key(), *key);
            route
        })
        .collect();
    assert_eq!(all.len(), 4);
    let copied = TypeRoute::Match;
    assert_eq!(copied, copied.clone());
}

/// A type of the user's that is called as the enum is inside of the router.
#[tokio::test]
async fn a_route_of_the_users() {
    #[data]
    struct Route {
        to: u32,
    }
    #[block(handler)]
    async fn go(route: Route) -> Result<u32> {
        Ok(route.to)
    }
    type Way = Route;
    #[block(router, routes = [go])]
    async fn drive(way: &Way) -> Result<Route> {
        assert_eq!(way.to, 3);
        Ok(Route::Go)
    }
    assert_eq!(flowstate::run(drive, Route { to: 3 }).await.unwrap(), 3);
}

/// A router whose routes are looked up by a name.
#[block(router, routes = [low, high, other = low.connect_output(|text| format!("else {text}"))])]
async fn by_name(n: &u32, ctx: Ctx) -> Result<Route> {
    let name = if *n == 1 { "low" } else { "middle" };
    if *n == 3 {
        assert_eq!(ctx.path(), "by_name");
        return Ok(Route::from_key(name).unwrap_or(Route::Other));
    }
    Ok(Route::from_key(name)?)
}

#[tokio::test]
async fn names_of_routes() {
    assert_eq!(flowstate::run(by_name, 1).await.unwrap(), "low 1");
    assert_eq!(flowstate::run(by_name, 3).await.unwrap(), "else low 3");
    let error = flowstate::run(by_name, 2).await.unwrap_err();
    assert_eq!(
        (error.code(), error.path(), error.retryable()),
        ("route_unknown", "by_name", false)
    );
    assert_eq!(
        error.to_string(),
        r#"`by_name` has no route "middle"; there are `low`, `high`, `other`"#
    );
    let unknown = error.downcast_ref::<UnknownRouteError>().unwrap();
    assert_eq!((unknown.key(), unknown.known()), ("middle", &["low", "high", "other"][..]));
}

/// Everything that a router can read.
#[tokio::test]
async fn a_router_reads() {
    #[block(handler)]
    async fn end(n: u32) -> Result<u32> {
        Ok(n)
    }
    #[block(
        router, routes = [end], state = [Mode, Log], parent = Mode, sequencer = Log, targets(outer = Log, none = Option<Mode>),
        request = Log, session = Log, user = Mode, org = Log, needs = [u8]
    )]
    async fn look(n: &u32, ctx: Ctx) -> Result<Route> {
        assert_eq!((ctx.self_.mode.get(), ctx.self_.lines.with(Vec::len)), (String::new(), 0));
        assert_eq!(ctx.parent.mode.get(), "parent");
        assert_eq!(
            ctx.sequencer.lines.get(),
            ["outer"],
            "the nearest sequencer that holds it, not the router"
        );
        assert_eq!(ctx.targets.outer.get().lines, ["outer"]);
        assert!(ctx.targets.none.is_none());
        assert_eq!(ctx.request.lines.get(), ["request"]);
        assert_eq!(ctx.session.lines.get(), ["session"]);
        assert_eq!(ctx.user.get().mode, "");
        assert!(ctx.org.lines.with(Vec::is_empty));
        assert_eq!((*ctx.needs.u8, *n), (7, 1));
        Ok(Route::End)
    }
    #[block(handler, request = Log, session = Log)]
    async fn write(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.request.lines.push("request".into())?;
        assert!(ctx.session.lines.push("session".into()).await?);
        Ok(n)
    }
    #[block(sequencer, state = Mode)]
    fn inner(n: u32) -> u32 {
        n.tap(|_, ctx| ctx.self_.mode.set("parent".into())).step(write).step(look)
    }
    #[block(sequencer, state = Log)]
    fn outer(n: u32) -> u32 {
        n.tap(|_, ctx| ctx.self_.lines.push("outer".into())).step(inner)
    }
    let app = App::builder().provide(7_u8).build().unwrap();
    assert_eq!(app.run(outer, 1).await.unwrap(), 1);
}

/// A routed block's parent is the router, whose state is its own, fresh each time; a sequencer is looked for further out.
#[tokio::test]
async fn what_a_route_sees() {
    #[block(handler, parent = Log, sequencer = Mode, targets(pick = Log))]
    async fn leaf(n: u32, ctx: Ctx) -> Result<String> {
        assert!(ctx.parent.lines.with(Vec::is_empty), "fresh each time");
        ctx.parent.lines.push(n.to_string())?;
        assert_eq!(ctx.targets.pick.lines.get(), [n.to_string()]);
        ctx.sequencer.mode.update(|mode| mode.push_str("leaf "))?;
        Ok(ctx.sequencer.mode.get())
    }
    #[block(router, routes = [leaf], state = [Log, Mode], sequencer = Mode)]
    async fn pick(_: &u32, ctx: Ctx) -> Result<Route> {
        assert!(ctx.sequencer.mode.with(|mode| !mode.is_empty()));
        Ok(Route::Leaf)
    }
    #[block(sequencer, state = Mode)]
    fn twice(n: u32) -> String {
        n.tap(|_, ctx| ctx.self_.mode.set("set ".into())).tap(pick).step(pick)
    }
    assert_eq!(flowstate::run(twice, 1).await.unwrap(), "set leaf leaf ");
}

#[block(handler, parent = Option<Mode>)]
async fn inc(n: u32, ctx: Ctx) -> Result<u32> {
    assert!(ctx.parent.is_none(), "the parent is the router, which holds none");
    Ok(n + 1)
}

#[block(handler)]
async fn double(n: u32) -> Result<u32> {
    Ok(n * 2)
}

#[block(handler)]
async fn boom(n: u32) -> Result<u32> {
    Err(Error::with_code("too_much", n.to_string()))
}

/// 0 fails, 1 panics, 7 is a route that fails.
#[block(router, routes = [inc, double, boom])]
async fn steer(n: &u32) -> Result<Route> {
    match n {
        0 => Err(Error::with_code("no_way", "nowhere to go")),
        1 => panic!("lost"),
        7 => Ok(Route::Boom),
        n => Ok(if n % 2 == 0 { Route::Double } else { Route::Inc }),
    }
}

#[block(handler)]
async fn nine(_: Rescued) -> Result<u32> {
    Ok(9)
}

/// All places where a block can stand.
#[tokio::test]
async fn everywhere() {
    #[block(router, routes = [steer, nested = steer.connect_input(|n: u32| n + 2)])]
    async fn outer(n: &u32) -> Result<Route> {
        Ok(if *n > 100 { Route::Nested } else { Route::Steer })
    }
    #[block(sequencer, state = Mode)]
    fn chain(n: u32) -> u32 {
        n.step(steer)
            .step(|n| n + 1, steer)
            .step_if(|n| *n > 0, steer)
            .branch((|n| *n > 1_000, inc), steer)
            .parallel((steer, (|n: u32| n + 1, outer)))
            .map(|(a, b): (u32, u32)| vec![a, b])
            .for_each(steer)
            .map(|all: Vec<u32>| all.len() as u32)
            .tap(steer)
            .side_chain(steer)
            .do_until(steer, |n| *n > 100)
            .step_all([steer, outer])
            .map(|all: Vec<u32>| all[0])
            .race([steer, outer])
            .step(steer.connect_input(|n: u32| n + 1).connect_output(|n| n + 1))
            .step(|_| 0, steer.rescue::<Error>(nine))
            .step(|_| 0, steer.rescue_code("no_way", nine))
    }
    #[block(sequencer)]
    async fn written(n: u32, ctx: Ctx) -> Result<u32> {
        let n = ctx.step(steer, n).await?;
        let (a, b) = ctx.parallel((steer, outer), n).await?;
        let all = ctx.for_each(steer, vec![a, b]).await?;
        Ok(all.len() as u32)
    }
    flow! {
        struct Steering {
            pub steer: steer,
            pub chain: chain,
        }
    }
    assert_eq!(flowstate::run(chain, 4).await.unwrap(), 9);
    assert_eq!(flowstate::run(written, 4).await.unwrap(), 2);
    assert_eq!(flowstate::run(outer, 101).await.unwrap(), 104);
    let app = App::builder().flow(Steering).build().unwrap();
    assert_eq!(app.request().call(Steering::steer, 4).await.unwrap(), 8);
    assert_eq!(flowstate::test(steer).run(3).await.unwrap().output, 4);
}

#[tokio::test]
async fn failures_have_a_place() {
    #[block(sequencer)]
    fn pipeline(n: u32) -> u32 {
        n.step(steer)
    }
    for (n, code, path) in [
        (0, "no_way", "pipeline > steer"),
        (1, "block_panicked", "pipeline > steer"),
        (7, "too_much", "pipeline > steer > boom"),
    ] {
        let error = flowstate::run(pipeline, n).await.unwrap_err();
        assert_eq!((error.code(), error.path()), (code, path));
    }
    assert_eq!(flowstate::run(steer.rescue::<Error>(nine), 1).await.unwrap(), 9);
    assert_eq!(flowstate::run(steer.rescue::<Error>(nine), 7).await.unwrap(), 9);
}

/// Routes that are expressions, of which the router's own output is made.
#[tokio::test]
async fn adapted_routes() {
    #[derive(Debug, Clone, Copy, Default, AsBlock)]
    struct Times {
        by: u32,
    }
    impl Block for Times {
        type Input = u32;
        type Output = u32;
        const HEAD: &'static Head = &Head::new("times", Kind::Handler);
        async fn run(&self, n: u32, _: At<'_>) -> Result<u32> {
            Ok(n * self.by)
        }
    }
    #[block(router, routes = [
        length.connect_input(|n: u32| "x".repeat(n as usize)).connect_output(|n| n as u32),
        inc,
        made = Times { by: 5 },
        safe = boom.rescue::<Error>(nine),
        coded = boom.rescue_code("too_much", nine).connect_output(|n| n + 1),
        Times,
    ])]
    async fn pick(n: &u32) -> Result<Route> {
        Ok(match n {
            0 => Route::Length,
            1 => Route::Inc,
            2 => Route::Made,
            3 => Route::Safe,
            4 => Route::Coded,
            _ => Route::Times,
        })
    }
    #[block(router, routes = [inc.connect_output(|n| -> String { n.to_string() })])]
    async fn only_changed(_: &u32) -> Result<Route> {
        Ok(Route::Inc)
    }
    #[block(router, routes = [boom.rescue::<Error>(nine)])]
    async fn only_rescued(_: &u32) -> Result<Route> {
        Ok(Route::Boom)
    }
    #[block(router, routes = [all = Times { by: 2 }])]
    async fn only_made(_: &u32) -> Result<Route> {
        Ok(Route::All)
    }
    for (n, output) in [(0, 0), (1, 2), (2, 10), (3, 9), (4, 10), (5, 0)] {
        assert_eq!(flowstate::run(pick, n).await.unwrap(), output, "{n}");
    }
    assert_eq!(flowstate::run(only_changed, 1).await.unwrap(), "2");
    assert_eq!(flowstate::run(only_rescued, 1).await.unwrap(), 9);
    assert_eq!(flowstate::run(only_made, 4).await.unwrap(), 8);
}

/// Routes that lead back.
#[tokio::test]
async fn recursion() {
    #[block(sequencer)]
    fn less(n: u32) -> u32 {
        n.map(|n| n - 1).step(again(walk)).map(|n| n + 10)
    }
    #[block(handler)]
    async fn stop(n: u32) -> Result<u32> {
        Ok(n)
    }
    #[block(router, routes = [again(walk).connect_input(|n: u32| n - 3), less, stop])]
    async fn walk(n: &u32) -> Result<Route> {
        Ok(match n {
            0 => Route::Stop,
            3.. => Route::Walk,
            _ => Route::Less,
        })
    }
    assert_eq!(flowstate::run(walk, 8).await.unwrap(), 20);
}

#[tokio::test(start_paused = true)]
async fn attempts() {
    #[block(handler, parent = Log)]
    async fn slow(n: u32, ctx: Ctx) -> Result<u32> {
        assert!(ctx.parent.lines.with(Vec::is_empty), "each attempt is a new router");
        ctx.parent.lines.push(n.to_string())?;
        std::future::pending::<()>().await;
        Ok(n)
    }
    #[block(router, routes = [slow], state = Log, timeout = "1s", retry(max = 2, base = "1ms"))]
    async fn patient(_: u32) -> Result<Route> {
        Ok(Route::Slow)
    }
    let began = tokio::time::Instant::now();
    let error = flowstate::run(patient, 1).await.unwrap_err();
    assert_eq!((error.code(), error.path()), ("timeout", "patient"));
    assert!(began.elapsed().as_secs() == 2);
}

#[tokio::test]
async fn conditional_routes() {
    #[block(router, routes = [#[cfg(any())] inc, #[cfg(all())] double, #[cfg(not(any()))] other = inc])]
    async fn pick(n: &u32) -> Result<Route> {
        Ok(if *n == 1 { Route::Other } else { Route::Double })
    }
    assert_eq!(PickRoute::KEYS, ["double", "other"]);
    assert_eq!(<pick as Block>::DEF.children.len(), 2);
    assert_eq!(flowstate::run(pick, 1).await.unwrap(), 2);
    assert_eq!(flowstate::run(pick, 4).await.unwrap(), 8);
}

/// A router made by a macro.
#[tokio::test]
async fn in_a_macro() {
    macro_rules! router {
        ($name:ident, $first:path, $second:expr, $pick:expr) => {
            #[block(router, routes = [$first, second = $second])]
            async fn $name(n: &u32, ctx: Ctx) -> Result<Route> {
                assert_eq!(ctx.block(), stringify!($name));
                let pick: fn(u32) -> bool = $pick;
                Ok(if pick(*n) { Route::Inc } else { Route::Second })
            }
        };
    }
    router!(made, inc, double.connect_output(|n| n + 1), |n| n == 1);
    assert_eq!(flowstate::run(made, 1).await.unwrap(), 2);
    assert_eq!(flowstate::run(made, 2).await.unwrap(), 5);
}

/// The decision is an item, which is kept and shown to nobody.
#[tokio::test]
async fn a_decision_is_an_item() {
    #[block(sequencer)]
    fn pipeline(n: u32) -> u32 {
        n.step(steer)
    }
    let app = App::builder().build().unwrap();
    let mut run: Run<u32> = app.start(pipeline, 4).await.unwrap();
    let events: Vec<_> = run.events().collect().await;
    assert_eq!(run.output().await.unwrap(), 8);
    let decisions: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Done(item) => match item.kind() {
                ItemKind::RouterDecision(decision) => Some((item, &decision.route)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let [(item, route)] = decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(
        (route.as_str(), &*item.block, &*item.path),
        ("double", "steer", "pipeline > steer")
    );
    assert!(!item.visibility.client && !item.visibility.history && !item.transient);
    let json = serde_json::to_value(&**item).unwrap();
    assert_eq!((&json["type"], &json["route"]), (&"router_decision".into(), &"double".into()));
}

/// What capabilities bring: the router reads it, and its route finds it in its parent.
#[tokio::test]
async fn capabilities_of_a_router() {
    #[capability(state = Log, session = Log, targets(outer = Mode), sequencer = Mode)]
    struct Logging;

    #[block(handler, parent = Log, session = Log)]
    async fn write(n: u32, ctx: Ctx) -> Result<u32> {
        ctx.parent.lines.push(n.to_string())?;
        ctx.session.lines.push(n.to_string()).await?;
        Ok(n)
    }
    #[block(router, routes = [write], uses = [Logging], parent = Mode)]
    async fn pick(n: &u32, ctx: Ctx) -> Result<Route> {
        assert!(ctx.self_.lines.with(Vec::is_empty), "fresh each time");
        assert_eq!(ctx.session.lines.with(Vec::len), *n as usize);
        assert_eq!(ctx.parent.mode.get(), "outer");
        assert_eq!(
            (ctx.targets.outer.mode.get(), ctx.sequencer.mode.get()),
            ("outer".into(), "outer".into())
        );
        Ok(Route::Write)
    }
    #[block(sequencer, state = Mode)]
    fn outer(n: u32) -> u32 {
        n.tap(|_, ctx| ctx.self_.mode.set("outer".into())).step(pick).map(|n| n + 1).step(pick)
    }
    assert_eq!(flowstate::run(outer, 0).await.unwrap(), 1);
    let head = <pick as Block>::HEAD;
    assert!(head.holds.is_empty() && !head.uses.is_empty());
}
