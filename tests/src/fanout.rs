//! `for_each`: order, concurrency, what ends it, on both sorts of runtime.

use std::collections::HashSet;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use flowstate::prelude::*;
use tokio::time::sleep;

use crate::live::Live;

/// The same test on a runtime with one thread and on one with several.
macro_rules! on_both {
    ($($(#[$doc:meta])* async fn $name:ident() $body:block)*) => {$(
        mod $name {
            use super::*;
            $(#[$doc])*
            async fn test() $body
            #[tokio::test]
            async fn on_one_thread() {
                tokio::time::timeout(Duration::from_secs(60), test()).await.expect("it ends");
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn on_several_threads() {
                tokio::time::timeout(Duration::from_secs(60), test()).await.expect("it ends");
            }
        }
    )*};
}

fn app(live: &Live) -> App {
    let meeting = Meeting(Arc::new(tokio::sync::Barrier::new(5)));
    App::builder().provide(live.clone()).provide(meeting).build().unwrap()
}

/// Where five runs wait for one another.
struct Meeting(Arc<tokio::sync::Barrier>);

#[block(handler)]
async fn inc(n: usize) -> Result<usize> {
    if n.is_multiple_of(7) {
        tokio::task::yield_now().await;
    }
    Ok(n + 1)
}

/// Goes on when five have come.
#[block(handler, needs = [Live, Meeting])]
async fn meet(n: usize, ctx: Ctx) -> Result<usize> {
    let _alive = ctx.needs.live.enter();
    ctx.needs.meeting.0.wait().await;
    Ok(n)
}

/// Item 3 fails when five have come; the others never end.
#[block(handler, needs = [Live, Meeting])]
async fn third_fails(n: usize, ctx: Ctx) -> Result<usize> {
    let _alive = ctx.needs.live.enter();
    ctx.needs.meeting.0.wait().await;
    if n == 3 { Err(Error::msg("three")) } else { pending().await }
}

#[block(handler, needs = [Live])]
async fn hang(_: usize, ctx: Ctx) -> Result<usize> {
    let _alive = ctx.needs.live.enter();
    pending().await
}

#[block(sequencer)]
fn every(items: Vec<usize>) -> Vec<usize> {
    items.for_each(inc)
}

#[block(sequencer)]
fn five_meet(items: Vec<usize>) -> Vec<usize> {
    items.for_each(meet, max_concurrency = 5)
}

#[block(sequencer)]
fn five_fail(items: Vec<usize>) -> Vec<usize> {
    items.for_each(third_fails, max_concurrency = 5)
}

#[block(sequencer)]
fn all_hang(items: Vec<usize>) -> Vec<usize> {
    items.for_each(hang, max_concurrency = 6)
}

on_both! {
    async fn a_hundred_thousand_items_in_order() {
        let out = flowstate::run(every, (0..100_000).collect()).await.unwrap();
        assert_eq!(out.len(), 100_000);
        assert!(out.iter().enumerate().all(|(i, n)| *n == i + 1));
    }

    /// It would not end if fewer than five ever ran at once.
    async fn the_limit_is_kept_and_reached() {
        let live = Live::default();
        let out = app(&live).run(five_meet, (0..50).collect()).await.unwrap();
        assert_eq!(out, (0..50).collect::<Vec<_>>());
        assert_eq!((live.most(), live.begun(), live.alive()), (5, 50, 0));
    }

    async fn the_first_error_drops_all_others_before_it_returns() {
        #[block(sequencer, needs = [Live])]
        async fn looks(items: Vec<usize>, ctx: Ctx) -> Result<String> {
            let error = ctx.step(five_fail, items).await.unwrap_err();
            assert_eq!((ctx.needs.live.alive(), ctx.needs.live.begun()), (0, 5));
            Ok(error.path().to_owned())
        }
        let live = Live::default();
        let path = app(&live).run(looks, (0..1000).collect()).await.unwrap();
        assert_eq!(path, "looks > five_fail > third_fails[3]");
        assert_eq!(live.begun(), 5, "nothing new starts");
    }

    async fn a_drop_of_the_run_drops_every_item() {
        let live = Live::default();
        let mut run = Box::pin(app(&live).run(all_hang, (0..100).collect()));
        tokio::select! {
            _ = &mut run => unreachable!("none of them ends"),
            () = live.arrived(6) => {}
        }
        assert_eq!(live.alive(), 6);
        drop(run);
        assert_eq!((live.alive(), live.begun()), (0, 6), "at once, on whatever thread they were");
    }

    async fn a_drop_of_nested_runs_drops_every_item() {
        #[block(sequencer)]
        fn rows(rows: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
            rows.for_each(all_hang, max_concurrency = 3)
        }
        let live = Live::default();
        let mut run = Box::pin(app(&live).run(rows, vec![(0..10).collect(); 10]));
        tokio::select! {
            _ = &mut run => unreachable!("none of them ends"),
            () = live.arrived(18) => {}
        }
        drop(run);
        assert_eq!((live.alive(), live.begun()), (0, 18));
    }

    /// What was dropped is gone: no task of the runtime keeps it.
    async fn no_task_is_left_behind() {
        let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let before = tasks();
        for _ in 0..10 {
            let live = Live::default();
            app(&live).run(five_fail, (0..100).collect()).await.unwrap_err();
            let mut run = Box::pin(app(&live).run(all_hang, (0..100).collect()));
            tokio::select! {
                _ = &mut run => unreachable!("none of them ends"),
                () = live.arrived(5 + 6) => {}
            }
            drop(run);
        }
        // a task that was told to end does so when it is next run
        while tasks() > before {
            tokio::task::yield_now().await;
        }
    }

    async fn a_panic_of_an_item_is_its_error() {
        #[block(handler)]
        async fn fragile(n: usize) -> Result<usize> {
            assert_ne!(n, 20, "twenty");
            Ok(n)
        }
        #[block(sequencer)]
        fn all(items: Vec<usize>) -> Vec<usize> {
            items.for_each(fragile, max_concurrency = 4)
        }
        let error = flowstate::run(all, (0..100).collect()).await.unwrap_err();
        assert_eq!((error.code(), error.path()), ("block_panicked", "all > fragile[20]"));
        assert!(error.to_string().contains("twenty"));
    }

    /// The items may come from code of the user's, which may panic.
    async fn a_panic_of_the_items_is_the_sequencers_error() {
        #[block(sequencer)]
        fn all(n: usize) -> Vec<usize> {
            n.for_each(|n| (0..n).map(|i| if i == 20 { panic!("no twentieth") } else { i }), inc)
        }
        assert_eq!(flowstate::run(all, 20).await.unwrap().len(), 20);
        let error = flowstate::run(all, 100).await.unwrap_err();
        assert_eq!((error.code(), error.path()), ("block_panicked", "all"));
        assert_eq!(error.to_string(), "the block panicked: no twentieth");
    }

    async fn items_are_pulled_in_order_and_when_they_are_wanted() {
        #[derive(Clone, Default)]
        struct Pulled(Arc<Mutex<Vec<usize>>>);
        #[block(handler, needs = [Pulled, Live])]
        async fn looks(n: usize, ctx: Ctx) -> Result<usize> {
            let _alive = ctx.needs.live.enter();
            // three may have been pulled beyond those that began
            assert!(ctx.needs.pulled.0.lock().unwrap().len() <= ctx.needs.live.begun() + 3);
            tokio::task::yield_now().await;
            Ok(n)
        }
        #[block(sequencer, needs = [Pulled])]
        fn all(n: usize) -> Vec<usize> {
            n.for_each(
                |n, ctx| {
                    let pulled = ctx.needs.pulled.clone();
                    (0..n).map(move |i| { pulled.0.lock().unwrap().push(i); i })
                },
                looks,
                max_concurrency = 3
            )
        }
        let (pulled, live) = (Pulled::default(), Live::default());
        let app = App::builder().provide(pulled.clone()).provide(live.clone()).build().unwrap();
        let wanted: Vec<_> = (0..100).collect();
        assert_eq!(app.run(all, 100).await.unwrap(), wanted);
        assert_eq!(*pulled.0.lock().unwrap(), wanted);
        assert!(live.most() <= 3);
    }

    async fn nested() {
        #[block(sequencer)]
        fn rows(rows: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
            rows.for_each(every, max_concurrency = 7)
        }
        #[block(sequencer)]
        fn tables(tables: Vec<Vec<Vec<usize>>>) -> Vec<Vec<Vec<usize>>> {
            tables.for_each(rows)
        }
        let table = vec![(0..30).collect::<Vec<_>>(); 20];
        let out = flowstate::run(tables, vec![table; 10]).await.unwrap();
        assert_eq!(out, vec![vec![(1..31).collect::<Vec<_>>(); 20]; 10]);
    }

    async fn none_and_one() {
        assert!(flowstate::run(every, vec![]).await.unwrap().is_empty());
        assert_eq!(flowstate::run(every, vec![4]).await.unwrap(), [5]);
    }

    async fn one_at_a_time() {
        #[block(handler, needs = [Live])]
        async fn alone(n: usize, ctx: Ctx) -> Result<usize> {
            let _alive = ctx.needs.live.enter();
            tokio::task::yield_now().await;
            assert_eq!(ctx.needs.live.begun(), n + 1, "in order");
            Ok(n)
        }
        #[block(sequencer)]
        fn all(items: Vec<usize>) -> Vec<usize> {
            items.for_each(alone, max_concurrency = 1)
        }
        let live = Live::default();
        app(&live).run(all, (0..200).collect()).await.unwrap();
        assert_eq!((live.most(), live.begun()), (1, 200));
    }

    /// A limit that is none: the number of items need not be known.
    async fn no_limit() {
        #[block(sequencer)]
        fn all(rows: Vec<Vec<usize>>) -> Vec<usize> {
            rows.for_each(|rows| rows.into_iter().flatten(), inc, max_concurrency = usize::MAX)
        }
        let out = flowstate::run(all, vec![(0..10).collect(); 3]).await.unwrap();
        assert_eq!(out.len(), 30);
        assert!(flowstate::run(all, vec![]).await.unwrap().is_empty());
    }

    async fn the_async_form_is_the_same() {
        #[block(sequencer, needs = [Live])]
        async fn written(items: Vec<usize>, ctx: Ctx) -> Result<usize> {
            let error = ctx.for_each(third_fails, items.clone()).max_concurrency(5).await.unwrap_err();
            assert_eq!(error.path(), "written > third_fails[3]");
            assert_eq!((ctx.needs.live.alive(), ctx.needs.live.begun()), (0, 5));
            Ok(ctx.for_each(inc, items).await?.len())
        }
        let live = Live::default();
        assert_eq!(app(&live).run(written, (0..1000).collect()).await.unwrap(), 1000);
    }
}

/// The two items wait for one another without giving up their threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn items_run_on_several_threads() {
    #[derive(Clone)]
    struct Threads(Arc<Barrier>, Arc<Mutex<HashSet<ThreadId>>>);
    #[block(handler, needs = [Threads])]
    async fn blocking(n: usize, ctx: Ctx) -> Result<usize> {
        ctx.needs.threads.0.wait();
        ctx.needs.threads.1.lock().unwrap().insert(std::thread::current().id());
        Ok(n)
    }
    #[block(sequencer)]
    fn all(items: Vec<usize>) -> Vec<usize> {
        items.for_each(blocking, max_concurrency = 2)
    }
    let threads = Threads(Arc::new(Barrier::new(2)), Arc::default());
    let app = App::builder().provide(threads.clone()).build().unwrap();
    app.run(all, vec![0, 1]).await.unwrap();
    assert_eq!(threads.1.lock().unwrap().len(), 2);
}

/// A drop waits for an item that is being polled, so that nothing of it is alive afterwards.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_drop_while_items_are_busy() {
    static BUSY: AtomicUsize = AtomicUsize::new(0);
    #[block(handler, needs = [Live])]
    async fn busy(_: usize, ctx: Ctx) -> Result<usize> {
        let _alive = ctx.needs.live.enter();
        loop {
            BUSY.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    }
    #[block(sequencer)]
    fn all(items: Vec<usize>) -> Vec<usize> {
        items.for_each(busy)
    }
    for _ in 0..50 {
        let live = Live::default();
        let mut run = Box::pin(app(&live).run(all, (0..20).collect()));
        tokio::select! {
            _ = &mut run => unreachable!("none of them ends"),
            () = live.arrived(20) => {}
        }
        drop(run);
        let busy = BUSY.load(Ordering::SeqCst);
        assert_eq!(live.alive(), 0);
        tokio::task::yield_now().await;
        assert_eq!(BUSY.load(Ordering::SeqCst), busy);
    }
}

#[tokio::test(start_paused = true)]
async fn sixty_four_at_once_where_nothing_is_said() {
    #[block(handler, needs = [Live])]
    async fn nap(n: usize, ctx: Ctx) -> Result<usize> {
        let _alive = ctx.needs.live.enter();
        sleep(Duration::from_secs(1)).await;
        Ok(n)
    }
    #[block(sequencer)]
    fn all(items: Vec<usize>) -> Vec<usize> {
        items.for_each(nap)
    }
    let live = Live::default();
    app(&live).run(all, (0..200).collect()).await.unwrap();
    assert_eq!(live.most(), 64);
}
