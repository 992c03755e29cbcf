//! What flowstate costs beside the same work written by hand, in the same run: `cargo bench -p flowstate-benches`.
//!
//! Rounds of ours and of the work by hand alternate, and the fastest round of each counts. With `-- --write` the table goes into `docs/performance.md`. A row "a step" is the difference
//! of a run of 21 and a run of one, so that the run itself falls out. An argument picks rows by name.

mod steps;

use std::hint::black_box;
use std::sync::Arc;

use flowstate::prelude::*;
use flowstate_benches::{
    ByHand, Cost, Plain, Table, Tally, bump, by_hand, chains, cost, leaf, plain_bump, plain_leaf,
};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use steps::{
    both_1, both_21, bump_nearest, far_1, far_21, parent_1, parent_21, plain_both_1, plain_both_21,
    plain_bump_1, plain_bump_21, written_1, written_21,
};

// a step without state
chains! { leaf_1 leaf_21 []: .step(leaf) }
by_hand! { plain_leaf_1 plain_leaf_21 |v, _state| let v = plain_leaf(v).await?; }

// … in the nearest sequencer that holds the counter
chains! { near_1 near_21 [, state = Tally]: .step(bump_nearest) }

// a step that holds the counter itself
#[block(handler, state = Tally)]
async fn bump_own(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.self_.count.inc(1)?;
    Ok(black_box(input) + 1)
}
chains! { own_1 own_21 []: .step(bump_own) }
async fn plain_bump_own(input: u64) -> ByHand<u64> {
    plain_bump(input, &Mutex::new(Plain::default())).await
}
by_hand! { plain_own_1 plain_own_21 |v, _state| let v = plain_bump_own(v).await?; }

// a tap, inline
chains! { tap_1 tap_21 [, state = Tally]: .tap(|_, ctx| ctx.self_.count.inc(1)) }
by_hand! { plain_tap_1 plain_tap_21 |v, state| {
    let mut state = state.lock();
    state.count = state.count.checked_add(1).ok_or("overflow")?;
} }

// a run of ten steps, and one of five sequencers within each other
#[block(sequencer, state = Tally)]
fn ten(input: u64) -> u64 {
    input
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
}
async fn plain_ten(v: u64) -> ByHand<u64> {
    let state = Arc::new(Mutex::new(Plain::default()));
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    let v = plain_bump(v, &state).await?;
    plain_bump(v, &state).await
}

macro_rules! nested {
    ($($name:ident $plain:ident = $inner:ident $plain_inner:ident;)*) => {
        $(
            #[block(sequencer)]
            fn $name(input: u64) -> u64 {
                input.step($inner)
            }
            async fn $plain(v: u64) -> ByHand<u64> {
                $plain_inner(v).await
            }
        )*
    };
}
nested! {
    level_1 plain_level_1 = leaf plain_leaf;
    level_2 plain_level_2 = level_1 plain_level_1;
    level_3 plain_level_3 = level_2 plain_level_2;
    level_4 plain_level_4 = level_3 plain_level_3;
    level_5 plain_level_5 = level_4 plain_level_4;
}

// what can be done with state, a thousand times in one step
const OPS: u64 = 1000;

#[state]
struct Notes {
    count: u64,
    text: String,
    list: Vec<u64>,
}

#[derive(Debug, Default, Clone)]
struct PlainNotes {
    count: u64,
    text: String,
    list: Vec<u64>,
}

macro_rules! ops {
    ($($name:ident($ctx:ident, $i:ident) $ours:expr; $plain:ident($state:ident) $floor:expr;)*) => {
        $(
            #[block(handler, state = Notes)]
            async fn $name(input: u64, $ctx: Ctx) -> Result<u64> {
                $ctx.self_.text.set("a text of some length, as notes are".to_string())?;
                for $i in 0..OPS {
                    black_box($ours);
                }
                Ok(input)
            }
            async fn $plain(input: u64) -> ByHand<u64> {
                let state = Mutex::new(PlainNotes::default());
                state.lock().text = "a text of some length, as notes are".to_string();
                for $i in 0..OPS {
                    let mut $state = state.lock();
                    black_box($floor);
                }
                Ok(input)
            }
        )*
    };
}
ops! {
    inc(ctx, _i) ctx.self_.count.inc(1)?; plain_inc(state) {
        state.count = state.count.checked_add(1).ok_or("overflow")?;
    };
    set_same(ctx, _i) ctx.self_.count.set(black_box(0))?; plain_set_same(state) {
        state.count = black_box(0);
    };
    set(ctx, i) ctx.self_.count.set(i)?; plain_set(state) {
        state.count = i;
    };
    push(ctx, i) ctx.self_.list.push(i)?; plain_push(state) {
        state.list.push(i);
    };
    update_field(ctx, _i) ctx.self_.count.update(|n| *n += 1)?; plain_update_field(state) {
        state.count += 1;
    };
    update(ctx, _i) ctx.self_.update(|notes| notes.count += 1)?; plain_update(state) {
        let mut copy = state.clone();
        copy.count += 1;
        *state = copy;
    };
    read(ctx, _i) ctx.self_.count.get(); plain_read(state) {
        // (a lock that is only read through still wants `mut` above)
        let state = &mut *state;
        state.count
    };
    read_text(ctx, _i) ctx.self_.text.get(); plain_read_text(state) {
        let state = &mut *state;
        state.text.clone()
    };
    with_text(ctx, _i) ctx.self_.text.with(String::len); plain_with_text(state) {
        let state = &mut *state;
        state.text.len()
    };
}

// fan-out
const ITEMS: u64 = 10_000;

#[block(sequencer)]
fn each(input: u64) -> u64 {
    input
        .map(|_| (0..ITEMS).collect::<Vec<u64>>())
        .for_each(leaf, max_concurrency = 64)
        .map(|all: Vec<u64>| all.len() as u64)
}

async fn plain_each(_: u64) -> ByHand<u64> {
    let items: Vec<u64> = (0..ITEMS).collect();
    let all: Vec<_> =
        futures_util::stream::iter(items).map(plain_leaf).buffered(64).collect().await;
    let all: Vec<u64> = all.into_iter().collect::<ByHand<_>>()?;
    Ok(all.len() as u64)
}

/// Two tasks that pull from one queue.
async fn plain_each_on_two(_: u64) -> ByHand<u64> {
    let items: Vec<u64> = (0..ITEMS).collect();
    let queue = Arc::new(Mutex::new(items.into_iter().enumerate()));
    let work = |queue: Arc<Mutex<std::iter::Enumerate<std::vec::IntoIter<u64>>>>| async move {
        let mut done = Vec::new();
        loop {
            let next = queue.lock().next();
            let Some((index, item)) = next else { return Ok::<_, String>(done) };
            done.push((index, plain_leaf(item).await?));
        }
    };
    let (a, b) = (tokio::spawn(work(queue.clone())), tokio::spawn(work(queue)));
    let mut all = vec![0; ITEMS as usize];
    for task in [a, b] {
        for (index, output) in task.await.map_err(|error| error.to_string())?? {
            all[index] = output;
        }
    }
    Ok(all.len() as u64)
}

// (without `set`, which would be an item more)
#[block(handler, state = Notes)]
async fn inc_only(input: u64, ctx: Ctx) -> Result<u64> {
    for _ in 0..OPS {
        ctx.self_.count.inc(1)?;
    }
    Ok(input)
}

// items, a thousand in one step; by hand a text with its number, over a channel
const SAID: &str = "a text of some length, as messages are";

#[block(handler)]
async fn message(input: u64, ctx: Ctx) -> Result<u64> {
    for _ in 0..OPS {
        ctx.message(black_box(SAID));
    }
    Ok(input)
}

type Sender = tokio::sync::mpsc::UnboundedSender<(u64, String)>;

fn plain_message(to: Option<&Sender>) {
    for i in 0..OPS {
        if let Some(to) = black_box(to) {
            let _ = to.send((i, black_box(SAID).to_owned()));
        }
    }
}

async fn plain_unheard(input: u64) -> ByHand<u64> {
    plain_message(None);
    Ok(input)
}

/// A request on a task of its own, and a listener that takes all of its events.
async fn heard<B: IntoBlock<Block: Block<Input = u64>>>(block: B, input: u64) -> u64 {
    let mut run = App::default().start(block, input).await.expect("it starts");
    let mut events = run.events();
    let mut heard = 0;
    while let Some(event) = events.next().await {
        black_box(event);
        heard += 1;
    }
    assert_eq!(heard, OPS + 1, "each item, and the end");
    heard
}

async fn plain_heard(_: u64) -> u64 {
    let (to, mut from) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move { plain_message(Some(&to)) });
    let mut heard = 0;
    while let Some(item) = from.recv().await {
        black_box(item);
        heard += 1;
    }
    heard
}

fn main() {
    let table = Table::default();
    let on = &table.one;

    macro_rules! run {
        ($block:ident) => {
            async |i| flowstate::run($block, i).await.expect("no step fails")
        };
    }
    /// A step: the difference of 21 and one.
    macro_rules! step {
        ($name:literal, $one:ident, $many:ident; $plain_one:ident, $plain_many:ident) => {
            table.say(
                $name,
                20,
                &|| [cost(on, 500, run!($many)), cost(on, 500, run!($one))],
                &|| [cost(on, 500, $plain_many), cost(on, 500, $plain_one)],
            );
        };
    }
    /// A whole run.
    macro_rules! whole {
        ($name:literal, $on:expr, $runs:literal, $units:expr, $block:ident; $plain:ident) => {
            table.say($name, $units, &|| [cost($on, $runs, run!($block)), Cost::NOTHING], &|| {
                [cost($on, $runs, $plain), Cost::NOTHING]
            });
        };
    }
    step!("a step without state", leaf_1, leaf_21; plain_leaf_1, plain_leaf_21);
    step!("a step, parent's counter", parent_1, parent_21; plain_bump_1, plain_bump_21);
    step!("a step, sequencer's counter", near_1, near_21; plain_bump_1, plain_bump_21);
    step!("a step, sequencer's, three levels up", far_1, far_21; plain_bump_1, plain_bump_21);
    step!("a step, counter of its own", own_1, own_21; plain_own_1, plain_own_21);
    step!("a step, `ctx.step`, parent's counter", written_1, written_21; plain_bump_1, plain_bump_21);
    step!("a tap, own counter", tap_1, tap_21; plain_tap_1, plain_tap_21);
    step!("parallel of two", both_1, both_21; plain_both_1, plain_both_21);

    whole!("a run of one step", on, 500, 1, leaf; plain_leaf);
    whole!("a run of ten steps, parent's counter", on, 500, 1, ten; plain_ten);
    whole!("a run of five nested sequencers", on, 500, 1, level_5; plain_level_5);

    whole!("inc", on, 10, OPS, inc; plain_inc);
    whole!("set, same value", on, 10, OPS, set_same; plain_set_same);
    whole!("set", on, 10, OPS, set; plain_set);
    whole!("push", on, 10, OPS, push; plain_push);
    whole!("update of a field", on, 10, OPS, update_field; plain_update_field);
    whole!("update of a state (copy, change, put back)", on, 10, OPS, update; plain_update);
    whole!("read of a number", on, 10, OPS, read; plain_read);
    whole!("read of a text (copy)", on, 10, OPS, read_text; plain_read_text);
    whole!("read of a text in place (`with`)", on, 10, OPS, with_text; plain_with_text);

    whole!("a message, nobody listens", on, 10, OPS, message; plain_unheard);
    /// What a listener takes, each.
    macro_rules! heard {
        ($name:literal, $on:expr, $block:ident) => {
            table.say(
                $name,
                OPS,
                &|| [cost($on, 5, async |i| heard($block, i).await), Cost::NOTHING],
                &|| [cost($on, 5, plain_heard), Cost::NOTHING],
            );
        };
    }
    heard!("a message, to a listener", on, message);
    heard!("a change of a number, to a listener", on, inc_only);
    heard!("a message, to a listener, two threads", &table.two, message);

    whole!("for_each, an item, one thread", on, 1, ITEMS, each; plain_each);
    whole!("for_each, an item, two threads", &table.two, 1, ITEMS, each; plain_each_on_two);

    table.publish("ratios");
}
