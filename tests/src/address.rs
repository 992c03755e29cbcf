//! Which container each address finds, for each way in which a block is dispatched.

use flowstate::prelude::*;

#[state]
struct Mark {
    id: u32,
}

/// Own, parent's, sequencer's, and that of the ancestor `top`.
type Seen = (u32, Option<u32>, Option<u32>, Option<u32>);

#[state]
struct Log {
    seen: Vec<Seen>,
}

/// Writes down whom it finds at each address; its own mark is new each time.
#[block(
    handler, state = Mark, parent = Option<Mark>, sequencer = Option<Mark>, targets(top = Option<Mark>), request = Log
)]
async fn probe(input: u32, ctx: Ctx) -> Result<u32> {
    let id = |mark: &Local<'_, Mark>| mark.id.get();
    ctx.self_.id.inc(7)?;
    let outer = (
        ctx.parent.as_ref().map(id),
        ctx.sequencer.as_ref().map(id),
        ctx.targets.top.as_ref().map(id),
    );
    ctx.request.seen.push((ctx.self_.id.get(), outer.0, outer.1, outer.2))?;
    Ok(input)
}

async fn seen<B: IntoBlock>(block: B, input: <B::Block as Block>::Input) -> Vec<Seen> {
    flowstate::test(block).run(input).await.unwrap().request::<Log>().seen
}

/// One way to dispatch `probe`, in every place: what is seen `$times` times each.
macro_rules! form {
    ($name:ident, $times:expr, [$($chain:tt)*]) => {
        mod $name {
            use super::*;

            #[block(sequencer)]
            fn bare(v: u32) -> u32 {
                v $($chain)*
            }
            #[block(sequencer, state = Mark)]
            fn mid(v: u32) -> u32 {
                v.tap(|_, ctx| ctx.self_.id.set(2)) $($chain)*
            }
            #[block(sequencer, state = Mark)]
            fn mid_bare(v: u32) -> u32 {
                v.tap(|_, ctx| ctx.self_.id.set(2)).step(bare)
            }
            #[block(sequencer, state = Mark, name = "top")]
            fn top(v: u32) -> u32 {
                v.tap(|_, ctx| ctx.self_.id.set(1)) $($chain)*
            }
            #[block(sequencer, state = Mark, name = "top")]
            fn top_bare(v: u32) -> u32 {
                v.tap(|_, ctx| ctx.self_.id.set(1)).step(bare)
            }
            #[block(sequencer, state = Mark, name = "top")]
            fn top_mid(v: u32) -> u32 {
                v.tap(|_, ctx| ctx.self_.id.set(1)).step(mid)
            }
            #[block(sequencer, state = Mark, name = "top")]
            fn top_mid_bare(v: u32) -> u32 {
                v.tap(|_, ctx| ctx.self_.id.set(1)).step(mid_bare)
            }

            #[tokio::test]
            async fn finds_what_is_there() {
                let (one, two) = (Some(1), Some(2));
                let places = [
                    (seen(bare, 0).await, (7, None, None, None)),
                    (seen(mid, 0).await, (7, two, two, None)),
                    (seen(mid_bare, 0).await, (7, None, two, None)),
                    (seen(top, 0).await, (7, one, one, one)),
                    (seen(top_bare, 0).await, (7, None, one, one)),
                    (seen(top_mid, 0).await, (7, two, two, one)),
                    (seen(top_mid_bare, 0).await, (7, None, two, one)),
                ];
                for (i, (found, expected)) in places.into_iter().enumerate() {
                    assert_eq!(found, vec![expected; $times], "place {i}");
                }
            }
        }
    };
}

form!(step, 1, [.step(probe)]);
form!(step_twice, 2, [.step(probe).step(probe)]);
form!(step_with_connector, 1, [.step(|v| v + 1, probe)]);
form!(step_with_connector_and_ctx, 1, [.step(async |v, ctx| v + u32::from(ctx.block().is_empty()), probe)]);
form!(step_if, 1, [.step_if(|v| *v == 0, probe).step_if(|v| *v != 0, probe)]);
form!(step_if_with_connector, 1, [.step_if(|_| true, |v| v, probe)]);
form!(tap, 1, [.tap(probe)]);
form!(tap_with_connector, 1, [.tap(|v| v + 1, probe)]);
form!(tap_if, 1, [.tap_if(|v| *v == 0, probe).tap_if(|v| *v != 0, probe)]);
form!(for_each, 3, [.map(|v| vec![v; 3]).for_each(probe).map(|v| v[0])]);
form!(for_each_with_connector, 3, [.for_each(|v| [v; 3], probe).map(|v| v[0])]);
form!(for_each_one_by_one, 3, [.map(|v| vec![v; 3]).for_each(probe, max_concurrency = 1).map(|v| v[0])]);
form!(loop_back, 4, [.step(probe).loop_back(probe, max_iterations = 3)]);
form!(in_an_async_sequencer, 3, [.step(straight)]);

/// Has no state, so that it is a level more, and not the parent of a mark.
#[block(sequencer)]
async fn forwards(v: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(probe, v).await
}

async fn help(v: u32, ctx: &Ctx<'_, async_top>) -> Result<u32> {
    ctx.step(probe, v).await
}

#[block(sequencer, state = Mark, name = "top", steps = [probe])]
async fn async_top(v: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.id.set(1)?;
    ctx.step(probe, v).await?;
    for _ in 0..2 {
        help(v, &ctx).await?;
    }
    let run = ctx.step(probe, v);
    run.await?;
    ctx.step(forwards, v).await
}

#[tokio::test]
async fn steps_of_an_async_sequencer_and_of_its_helpers() {
    let one = Some(1);
    let mut expected = vec![(7, one, one, one); 4];
    expected.push((7, None, one, one));
    assert_eq!(seen(async_top, 0).await, expected);
}

/// Transparent: three calls, each looked at as if the sequencer around it had made it; but the parent is this one.
#[block(sequencer, parent = Option<Mark>, sequencer = Option<Mark>, targets(top = Option<Mark>), request = Log)]
async fn straight(v: u32, ctx: Ctx) -> Result<u32> {
    let id = |mark: &Local<'_, Mark>| mark.id.get();
    for _ in 0..3 {
        let outer = (
            ctx.parent.as_ref().map(id),
            ctx.sequencer.as_ref().map(id),
            ctx.targets.top.as_ref().map(id),
        );
        ctx.request.seen.push((7, outer.0, outer.1, outer.2))?;
    }
    Ok(v)
}

macro_rules! note {
    ($ctx:expr, $own:expr) => {{
        let ctx = $ctx;
        let id = |mark: &Local<'_, Mark>| mark.id.get();
        let outer = (
            ctx.parent.as_ref().map(id),
            ctx.sequencer.as_ref().map(id),
            ctx.targets.top.as_ref().map(id),
        );
        ctx.request.seen.push(($own, outer.0, outer.1, outer.2)).unwrap()
    }};
}

fn by_path(v: u32, ctx: &Ctx<'_, inline>) -> u32 {
    note!(ctx, ctx.self_.id.get());
    v
}

fn yes(_: &u32, ctx: &Ctx<'_, inline>) -> bool {
    note!(ctx, ctx.self_.id.get())
}

/// Every sort of inline function there is; all of them see what the sequencer sees.
#[block(
    sequencer, state = Mark, parent = Option<Mark>, sequencer = Option<Mark>, targets(top = Option<Mark>), request = Log
)]
fn inline(v: u32) -> u32 {
    v.tap(|_, ctx| ctx.self_.id.set(3))
        .map(|v, ctx| {
            note!(ctx, ctx.self_.id.get());
            v
        })
        .map(async |v, ctx| {
            note!(ctx, ctx.self_.id.get());
            v
        })
        .map(by_path)
        .try_map(|v, ctx| {
            note!(ctx, ctx.self_.id.get());
            Ok(v)
        })
        .try_map(async |v, ctx| {
            note!(ctx, ctx.self_.id.get());
            Ok::<_, Error>(v)
        })
        .tap(|_, ctx| {
            note!(ctx, ctx.self_.id.get());
        })
        .tap(async |_, ctx| {
            note!(ctx, ctx.self_.id.get());
        })
        .tap_if(yes, |_, ctx| {
            note!(ctx, ctx.self_.id.get());
        })
        .step_if(|_, ctx| !note!(ctx, ctx.self_.id.get()), probe)
        .step(
            |v, ctx| {
                note!(ctx, ctx.self_.id.get());
                v
            },
            forwards_nothing,
        )
        .for_each(
            |v, ctx| {
                note!(ctx, ctx.self_.id.get());
                vec![v]
            },
            forwards_nothing,
        )
        .map(|v| v[0])
        .loop_back(
            forwards_nothing,
            when = |_, ctx| !note!(ctx, ctx.self_.id.get()),
            max_iterations = 1,
        )
        .exit_if(|_, ctx| note!(ctx, ctx.self_.id.get()))
        .map(|_| 99)
}

#[block(handler)]
async fn forwards_nothing(v: u32) -> Result<u32> {
    Ok(v)
}

#[block(sequencer, state = Mark, name = "top")]
fn over_inline(v: u32) -> u32 {
    v.tap(|_, ctx| ctx.self_.id.set(1)).step(inline)
}

/// The same functions in a sequencer that holds nothing.
#[block(sequencer, parent = Option<Mark>, sequencer = Option<Mark>, targets(top = Option<Mark>), request = Log)]
fn inline_bare(v: u32) -> u32 {
    v.map(|v, ctx| {
        note!(ctx, 0);
        v
    })
    .tap(async |_, ctx| {
        note!(ctx, 0);
    })
}

#[block(sequencer)]
fn between(v: u32) -> u32 {
    v.step(inline_bare)
}

#[block(sequencer, state = Mark, name = "top")]
fn over_bare(v: u32) -> u32 {
    v.tap(|_, ctx| ctx.self_.id.set(1)).step(inline_bare).step(between)
}

#[tokio::test]
async fn inline_functions_see_what_their_sequencer_sees() {
    let (one, three) = (Some(1), Some(3));
    let found = seen(over_inline, 0).await;
    assert_eq!(found, vec![(3, one, three, one); 14]);
    assert_eq!(seen(inline, 0).await, vec![(3, None, three, None); 14]);
    let (direct, nested) = ((0, one, one, one), (0, None, one, one));
    assert_eq!(seen(over_bare, 0).await, [direct, direct, nested, nested]);
    assert_eq!(seen(inline_bare, 0).await, [(0, None, None, None); 2]);
}

#[tokio::test]
async fn a_root_has_nothing_around_it() {
    assert_eq!(seen(probe, 0).await, [(7, None, None, None)]);
    assert_eq!(flowstate::run(probe, 5).await.unwrap(), 5);
}

#[block(sequencer, state = Mark, name = "top")]
fn earlier(v: u32) -> u32 {
    v.tap(|_, ctx| ctx.self_.id.set(5)).step(probe)
}

#[block(sequencer, state = Mark, name = "top")]
fn later(v: u32) -> u32 {
    v.tap(|_, ctx| ctx.self_.id.set(6)).step(probe).step(between_probe)
}

#[block(sequencer)]
fn between_probe(v: u32) -> u32 {
    v.step(probe)
}

#[block(sequencer, state = Mark)]
fn siblings(v: u32) -> u32 {
    v.tap(|_, ctx| ctx.self_.id.set(1)).step(earlier).step(later).step(probe)
}

#[tokio::test]
async fn a_sibling_of_the_same_name_is_never_found() {
    let (five, six) = (Some(5), Some(6));
    let expected = [
        (7, five, five, five),
        (7, six, six, six),
        (7, None, six, six),
        (7, Some(1), Some(1), None),
    ];
    assert_eq!(seen(siblings, 0).await, expected);
}

#[state]
struct Plan {
    title: String,
}

#[state]
struct Notes {
    lines: Vec<String>,
    total: u32,
}

/// Several states at every address, reached flat; a list finds them all in one block.
#[block(
    handler, state = [Plan, Mark, Notes], parent = [Notes, Mark], sequencer = [Mark, Plan],
    targets(first = Plan, second = Option<Notes>), request = [Log, Plan]
)]
async fn several(v: u32, ctx: Ctx) -> Result<(String, u32, Vec<String>)> {
    ctx.self_.title.set("own".into())?;
    ctx.self_.id.set(v)?;
    ctx.self_.lines.push("own".into())?;
    ctx.parent.lines.push("child".into())?;
    ctx.parent.total.inc(ctx.parent.id.get())?;
    ctx.sequencer.title.update(|title| title.push_str("+child"))?;
    ctx.request.title.set("request".into())?;
    ctx.request.seen.push((0, None, None, None))?;
    assert!(ctx.targets.second.is_none());
    assert_eq!(ctx.targets.first.title.get(), ctx.sequencer.title.get());
    Ok((ctx.self_.title.get(), ctx.self_.id.get(), ctx.self_.lines.get()))
}

#[data]
struct Flat {
    child: (String, u32, Vec<String>),
    title: String,
    notes: Notes,
    request: String,
}

#[block(sequencer, state = [Mark, Plan, Notes], request = Plan, name = "first")]
fn holds_three(v: u32) -> Flat {
    v.tap(|_, ctx| {
        ctx.self_.update(|mark| mark.id = 4)?;
        ctx.self_.title.set("outer".into())
    })
    .step(several)
    .map(|child, ctx| Flat {
        child,
        title: ctx.self_.title.get(),
        notes: Notes { lines: ctx.self_.lines.get(), total: ctx.self_.total.get() },
        request: ctx.request.title.get(),
    })
}

#[tokio::test]
async fn several_states_are_reached_flat() {
    let found = flowstate::run(holds_three, 9).await.unwrap();
    assert_eq!(found.child, ("own".to_string(), 9, vec!["own".to_string()]));
    assert_eq!((found.title.as_str(), found.request.as_str()), ("outer+child", "request"));
    assert_eq!((found.notes.lines, found.notes.total), (vec!["child".to_string()], 4));
}

/// Each state of a list comes from the nearest sequencer that holds it.
#[block(handler, sequencer = [Mark, Plan, Notes])]
async fn from_several(_: (), ctx: Ctx) -> Result<(u32, String, u32)> {
    Ok((ctx.sequencer.id.get(), ctx.sequencer.title.get(), ctx.sequencer.total.get()))
}

#[block(sequencer, state = [Mark, Notes])]
fn holds_two(v: ()) -> (u32, String, u32) {
    v.tap(|_, ctx| ctx.self_.id.set(2)).step(from_several)
}

#[block(sequencer, state = [Plan, Mark])]
fn holds_another(v: ()) -> (u32, String, u32) {
    v.tap(|_, ctx| ctx.self_.title.set("outer".into()))
        .tap(|_, ctx| ctx.self_.id.set(1))
        .step(holds_two)
}

#[tokio::test]
async fn the_states_of_a_list_may_come_from_several_sequencers() {
    let found = flowstate::run(holds_another, ()).await.unwrap();
    assert_eq!(found, (2, "outer".to_string(), 0));
}

/// Has the name, and not the state.
#[block(sequencer, state = Plan, name = "top")]
fn top_without_a_mark(v: u32) -> u32 {
    v.step(probe).step(between_probe)
}

#[tokio::test]
async fn an_optional_target_without_the_state_is_absent() {
    assert_eq!(seen(top_without_a_mark, 0).await, [(7, None, None, None); 2]);
}

/// Helpers for any block: `Plan` first, in the middle, or last in the block's list.
fn retitle<'a, R: 'a>(plan: &Local<'a, Plan, R>, title: &str) -> Result<bool> {
    plan.title.set(title.into())
}

#[tokio::test]
async fn a_helper_serves_any_place_in_the_list() {
    #[block(handler, state = [Plan, Mark])]
    async fn front(_: (), ctx: Ctx) -> Result<String> {
        retitle(&ctx.self_, "front")?;
        Ok(ctx.self_.title.get())
    }
    #[block(handler, state = [Mark, Plan, Notes])]
    async fn middle(_: (), ctx: Ctx) -> Result<String> {
        retitle(&ctx.self_, "middle").map(|_| ctx.self_.title.get())
    }
    assert_eq!(flowstate::run(front, ()).await.unwrap(), "front");
    assert_eq!(flowstate::run(middle, ()).await.unwrap(), "middle");
}

#[tokio::test]
async fn a_captured_handle_is_live() {
    #[block(handler, parent = Mark)]
    async fn bump(_: (), ctx: Ctx) -> Result<()> {
        let (captured, whole) = (ctx.parent.id, &ctx.parent);
        let before = captured.get();
        ctx.parent.id.inc(1)?;
        tokio::task::yield_now().await;
        assert_eq!((captured.get(), whole.get().id), (before + 1, before + 1));
        Ok(())
    }
    #[block(sequencer, state = Mark)]
    async fn owner(_: (), ctx: Ctx) -> Result<u32> {
        let captured = ctx.self_.id;
        for expected in 1..4 {
            ctx.step(bump, ()).await?;
            assert_eq!(captured.get(), expected);
        }
        Ok(captured.get())
    }
    assert_eq!(flowstate::run(owner, ()).await.unwrap(), 3);
}

#[tokio::test]
async fn request_state_is_shared_by_all_blocks_of_one_request_and_by_no_other() {
    #[block(handler, request = Mark)]
    async fn add(v: u32, ctx: Ctx) -> Result<u32> {
        ctx.request.id.inc(v)?;
        Ok(ctx.request.id.get())
    }
    #[block(sequencer)]
    fn deeper(v: u32) -> u32 {
        v.step(add)
    }
    #[block(sequencer, request = Mark)]
    fn all(v: u32) -> u32 {
        v.tap(add).tap(deeper).for_each(|v| vec![v; 3], deeper).map(|_, ctx| ctx.request.id.get())
    }
    for _ in 0..2 {
        assert_eq!(flowstate::run(all, 2).await.unwrap(), 10);
    }
}

/// An address is looked at as often as the block likes.
#[block(handler, parent = Option<Mark>, targets(top = Option<Mark>))]
async fn looks_twice(_: (), ctx: Ctx) -> Result<bool> {
    if let Some(parent) = ctx.parent {
        parent.id.inc(1)?;
    }
    let top = ctx.targets.top.map(|top| top.id.get());
    Ok(ctx.parent.is_some() && ctx.targets.top.is_some() && top.is_none())
}

#[tokio::test]
async fn an_optional_address_is_copied() {
    let tested = flowstate::test(looks_twice).parent(Mark::default()).run(()).await.unwrap();
    assert!(!tested.output);
    assert_eq!(tested.parent::<Mark>().id, 1);
}

#[test]
fn declarations_of_like_names_are_apart() {
    use flowstate::schema::Id;

    let [one, other] = [
        "shop::articles::DraftaToBaske0m@src/a.rs:10:1",
        "shop::articles::DraftbToBaskeaa@src/a.rs:10:1",
    ]
    .map(Id::new);
    assert!(!one.is(other));
    assert!(one.is(Id::new(one.text())));
}
