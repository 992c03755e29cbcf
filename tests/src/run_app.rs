//! Running blocks: alone, in an app, as actions of flows; services; what outlives a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use flowstate::prelude::*;

#[state]
struct Visits {
    count: u32,
    log: Vec<String>,
}

#[state]
struct Settings {
    #[state(default = "en".to_string())]
    language: String,
}

#[block(handler, session = Visits)]
async fn visit(text: String, ctx: Ctx) -> Result<u32> {
    assert!(ctx.session.count.inc(1).await?);
    assert!(ctx.session.log.push(text).await?);
    Ok(ctx.session.count.get())
}

#[block(handler, user = Settings, org = Visits, session = Visits)]
async fn all_three(language: String, ctx: Ctx) -> Result<(String, u32, u32)> {
    let before = ctx.user.language.get();
    ctx.user.language.set(language).await?;
    ctx.org.count.inc(1).await?;
    ctx.session.count.inc(1).await?;
    Ok((before, ctx.org.count.get(), ctx.session.count.get()))
}

#[block(sequencer)]
fn visit_twice(text: String) -> u32 {
    text.tap(visit).step(visit)
}

flow! {
    /// Counts.
    pub(crate) struct Counting {
        /// Once.
        pub visit: visit,
        #[action(description = "Two times")]
        pub twice: visit_twice,
        pub three: all_three,
    }
}

#[flowstate::flow(kind = "counting")]
struct LookAlike {
    /// Not in any app.
    pub visit: visit,
}

#[flowstate::flow(kind = "other")]
struct Other {
    pub visit: visit,
}

#[tokio::test]
async fn a_flow_says_what_it_is() {
    use flowstate::app::Flow;
    let def = <Counting as Flow>::DEF;
    assert_eq!((def.name, def.kind), ("Counting", "counting"));
    let actions: Vec<_> =
        def.actions.iter().map(|action| (action.name, action.description)).collect();
    assert_eq!(actions, [("visit", "Once."), ("twice", "Two times"), ("three", "")]);
    assert_eq!(Counting::visit.name(), "visit");
}

#[tokio::test]
async fn sessions_users_and_orgs_are_kept_apart_by_their_ids() {
    let app = App::builder().flow(Counting).build().unwrap();
    let visit = |session: &str| app.request().session(session).call(Counting::visit, "x".into());
    assert_eq!(
        (visit("a").await.unwrap(), visit("a").await.unwrap(), visit("b").await.unwrap()),
        (1, 2, 1)
    );
    assert_eq!(app.request().session("a").call(Counting::twice, "y".into()).await.unwrap(), 4);
    assert_eq!(app.request().session("a").run(self::visit, "z".into()).await.unwrap(), 5);
    // a session without an id ends with the request
    for _ in 0..2 {
        assert_eq!(app.request().call(Counting::twice, "y".into()).await.unwrap(), 2);
        assert_eq!(app.run(self::visit, "y".into()).await.unwrap(), 1);
    }
    let three = |session: &str, user: &str, org: &str, language: &str| {
        app.request().session(session).user(user).org(org).call(Counting::three, language.into())
    };
    let en = || "en".to_string();
    assert_eq!(three("a", "u", "o", "de").await.unwrap(), (en(), 1, 6));
    assert_eq!(three("c", "u", "o", "fr").await.unwrap(), ("de".to_string(), 2, 1));
    let error = three("c", "v", "p", "fr").await.unwrap_err();
    assert_eq!(error.code(), "session_not_found", "it is the session of another");
    assert_eq!(three("d", "v", "p", "fr").await.unwrap(), (en(), 1, 1));
    assert_eq!(
        three("u", "a", "a", "fr").await.unwrap(),
        (en(), 1, 1),
        "an id of one reach is none of another"
    );
    let another = App::builder().flow(Counting).build().unwrap();
    let first = another.request().session("a").call(Counting::visit, "x".into()).await.unwrap();
    assert_eq!(first, 1, "apps share nothing");
    assert_eq!(
        app.clone().request().session("a").call(Counting::visit, "x".into()).await.unwrap(),
        7
    );
}

#[tokio::test]
async fn stored_state_has_the_same_operations() {
    #[block(handler, session = [Visits, Settings])]
    async fn writes(_: (), ctx: Ctx) -> Result<()> {
        let s = &ctx.session;
        assert!(
            s.count.set(2).await?
                && !s.count.set(2).await?
                && s.count.inc(3).await?
                && !s.count.inc(0).await?
        );
        assert!(
            s.count.dec(1).await?
                && !s.count.update(|n| *n += 0).await?
                && s.count.update(|n| *n += 1).await?
        );
        assert_eq!(
            s.count
                .modify(|n| {
                    *n += 1;
                    *n * 100
                })
                .await?,
            600
        );
        assert!(
            s.update(|s| {
                s.count += 1;
                s.log.push("a".into());
            })
            .await?
                && !s.update(|_| {}).await?
        );
        assert_eq!(s.modify(|s| s.log.len()).await?, 1);
        let refused = s
            .try_modify(|s| {
                s.count = 0;
                Err::<(), _>(Error::msg("no"))
            })
            .await;
        assert_eq!(refused.unwrap_err().to_string(), "no");
        assert_eq!(s.count.dec(100).await.unwrap_err().code(), "state_delta_refused");
        assert_eq!(
            (s.count.get(), s.count.with(|n| *n), s.get().count, s.with(|s| s.count)),
            (7, 7, 7, 7)
        );
        assert!(s.language.set("de".into()).await?);
        assert!(s.set(Visits::default()).await? && !s.set(Visits::default()).await?);
        drop(s.count.inc(1));
        assert_eq!(
            (s.count.get(), s.language.get().as_str()),
            (0, "de"),
            "a write that is not awaited is none"
        );
        Ok(())
    }
    #[block(handler, session = [Settings, Visits])]
    async fn reads(_: (), ctx: Ctx) -> Result<(String, u32)> {
        Ok((ctx.session.language.get(), ctx.session.count.get()))
    }
    let app = App::builder().build().unwrap();
    app.request().session("s").run(writes, ()).await.unwrap();
    assert_eq!(app.request().session("s").run(reads, ()).await.unwrap(), ("de".to_string(), 0));
}

#[tokio::test]
async fn flows_that_an_app_does_not_have() {
    let app = App::builder().flow(Counting).build().unwrap();
    let unknown = app.request().call(Other::visit, "x".into()).await.unwrap_err();
    assert_eq!(unknown.code(), "app_invalid");
    assert!(
        unknown.to_string().contains("`other`") && unknown.to_string().contains("Other"),
        "{unknown}"
    );
    let look_alike = app.request().call(LookAlike::visit, "x".into()).await.unwrap_err();
    assert_eq!(look_alike.code(), "app_invalid", "another flow of the same kind is another flow");
    let twice = App::builder().flow(Counting).flow(LookAlike).build().unwrap_err();
    assert_eq!(twice.code(), "app_invalid");
    assert!(twice.to_string().contains("`counting`"), "{twice}");
    let both = App::builder().flow(Counting).flow(Other).build().unwrap();
    assert_eq!(both.request().session("s").call(Other::visit, "x".into()).await.unwrap(), 1);
    assert_eq!(both.request().session("s").call(Counting::visit, "x".into()).await.unwrap(), 2);
}

struct Price(u32);
struct SalesTax(u32);

trait Rate: Send + Sync {
    fn of(&self, n: u32) -> u32;
}

struct Flat(u32);

impl Rate for Flat {
    fn of(&self, n: u32) -> u32 {
        n * self.0
    }
}

#[block(handler, needs(rate = Arc<dyn Rate>, price = Price, offset = Arc<u32>))]
async fn rated(n: u32, ctx: Ctx) -> Result<u32> {
    Ok(ctx.needs.rate.of(n) + ctx.needs.price.0 + **ctx.needs.offset)
}

#[tokio::test]
async fn services_may_have_names() {
    let app = App::builder().provide(Price(1)).provide(Arc::new(Flat(3)) as Arc<dyn Rate>);
    let app = app.provide(Arc::new(5_u32)).build().unwrap();
    assert_eq!(app.run(rated, 2).await.unwrap(), 12);
}

#[block(handler, needs = [Price, SalesTax])]
async fn total(n: u32, ctx: Ctx) -> Result<u32> {
    Ok(n * ctx.needs.price.0 + ctx.needs.sales_tax.0)
}

#[block(handler)]
async fn starts(n: u32) -> Result<u32> {
    panic!("it ran with {n}")
}

#[block(sequencer)]
fn order(n: u32) -> u32 {
    n.step(total)
}

#[block(sequencer)]
fn starts_and_orders(n: u32) -> u32 {
    n.tap(starts).step(order)
}

#[flowstate::flow]
struct Shop {
    pub order: order,
    pub visit: visit,
}

#[tokio::test]
async fn services() {
    let app = App::builder()
        .provide(Price(1))
        .provide(SalesTax(1))
        .provide(Price(3))
        .flow(Shop)
        .build()
        .unwrap();
    assert_eq!(app.run(total, 2).await.unwrap(), 7, "of two services of a type the last counts");
    assert_eq!(app.request().call(Shop::order, 4).await.unwrap(), 13);
    let half = || App::builder().provide(Price(1));
    for error in [
        flowstate::run(starts_and_orders, 1).await.unwrap_err(),
        App::default().run(starts_and_orders, 1).await.unwrap_err(),
        half().build().unwrap().run(starts_and_orders, 1).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), "need_not_provided");
        assert!(error.to_string().contains("starts_and_orders > order > total"), "{error}");
    }
    let error = half().flow(Shop).build().unwrap_err();
    assert_eq!(error.code(), "need_not_provided");
    assert!(error.to_string().contains("`order > total` needs `SalesTax`"), "{error}");
}

#[block(handler, parent = Visits)]
async fn needs_a_parent(_: u32, _ctx: Ctx) -> Result<u32> {
    panic!("it ran")
}

#[block(handler, sequencer = Visits)]
async fn needs_a_sequencer(_: u32, _ctx: Ctx) -> Result<u32> {
    panic!("it ran")
}

#[block(handler, targets(shop = Visits))]
async fn needs_a_target(_: u32, _ctx: Ctx) -> Result<u32> {
    panic!("it ran")
}

#[block(sequencer)]
fn lacks_a_sequencer(n: u32) -> u32 {
    n.tap(starts).step(needs_a_sequencer)
}

#[block(sequencer)]
fn lacks_a_target(n: u32) -> u32 {
    n.tap(starts).step(needs_a_target)
}

#[block(sequencer)]
async fn lacks_both(n: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(starts, n).await?;
    ctx.step(lacks_a_target, n).await?;
    ctx.step(lacks_a_sequencer, n).await
}

#[state]
struct ClashingSettings {
    language: u32,
}

#[block(handler, user = ClashingSettings)]
async fn clashes(n: u32, _ctx: Ctx) -> Result<u32> {
    Ok(n)
}

#[block(handler, user = Settings)]
async fn reads_settings(n: u32, _ctx: Ctx) -> Result<u32> {
    Ok(n)
}

#[block(sequencer)]
fn two_schemas(n: u32) -> u32 {
    n.tap(starts).step(clashes).step(reads_settings)
}

#[tokio::test]
async fn a_root_whose_needs_cannot_be_met_is_refused_before_any_block_runs() {
    macro_rules! misplaced {
        ($($block:ident: $($says:literal),*;)*) => {$({
            for error in [
                flowstate::run($block, 1).await.unwrap_err(),
                App::default().run($block, 1).await.unwrap_err(),
                App::default().request().session("s").run($block, 1).await.unwrap_err(),
            ] {
                assert_eq!(error.code(), "block_misplaced", "{error:?}");
                $(assert!(error.to_string().contains($says), "{error}");)*
            }
        })*};
    }
    misplaced! {
        needs_a_parent: "`needs_a_parent` reads `Visits` from its parent";
        needs_a_sequencer: "`needs_a_sequencer` reads `Visits`";
        needs_a_target: "`shop`";
        lacks_a_sequencer: "lacks_a_sequencer > needs_a_sequencer", "Visits";
        lacks_a_target: "lacks_a_target > needs_a_target", "`shop`";
        lacks_both: "lacks_both > ";
        two_schemas: "language", "ClashingSettings", "`clashes`", "`reads_settings`";
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_can_be_spawned_and_outlive_what_began_them() {
    fn spawnable<F: Future<Output: Send> + Send + 'static>(
        future: F,
    ) -> tokio::task::JoinHandle<F::Output> {
        tokio::spawn(future)
    }
    let app = App::builder().provide(Price(2)).provide(SalesTax(0)).flow(Shop).build().unwrap();
    let runs = [spawnable(app.run(total, 1)), spawnable(app.request().user("u").run(total, 2))];
    let call = spawnable(app.request().session("s").call(Shop::order, 3));
    let alone = spawnable(flowstate::run(visit, "x".into()));
    drop(app);
    for (run, expected) in runs.into_iter().chain([call]).zip([2, 4, 6]) {
        assert_eq!(run.await.unwrap().unwrap(), expected);
    }
    assert_eq!(alone.await.unwrap().unwrap(), 1);
}

#[tokio::test]
async fn a_request_has_an_id_and_somebody_it_belongs_to() {
    #[block(handler)]
    async fn who(
        _: (),
        ctx: Ctx,
    ) -> Result<(String, Option<String>, Option<String>, Option<String>)> {
        let request = ctx.current_request();
        let who = request.who().clone();
        Ok((request.id().to_string(), who.session, who.user, who.org))
    }
    #[block(sequencer)]
    async fn twice(_: (), ctx: Ctx) -> Result<(bool, Option<String>, String)> {
        let (a, session, ..) = ctx.step(who, ()).await?;
        let (b, ..) = ctx.step(who, ()).await?;
        Ok((a == b, session, a))
    }
    let app = App::default();
    let request = app.request().session("s").user("u").org("o");
    let (first, session, user, org) = request.clone().run(who, ()).await.unwrap();
    assert_eq!(
        (session.as_deref(), user.as_deref(), org.as_deref()),
        (Some("s"), Some("u"), Some("o"))
    );
    let (same, session, second) = request.run(twice, ()).await.unwrap();
    assert!(same && session.as_deref() == Some("s"));
    assert_ne!(first, second);
    assert_eq!(app.run(who, ()).await.unwrap().1, None);
}

#[tokio::test]
async fn a_run_does_nothing_before_it_is_awaited_and_nothing_after_it_is_dropped() {
    #[block(handler, needs = [Arc<AtomicU32>])]
    async fn counts(_: (), ctx: Ctx) -> Result<()> {
        ctx.needs.arc.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }
    let count = Arc::new(AtomicU32::new(0));
    let app = App::builder().provide(count.clone()).build().unwrap();
    drop(app.run(counts, ()));
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let run = app.run(counts, ());
    tokio::select! {
        biased;
        _ = run => panic!("it never ends"),
        () = tokio::task::yield_now() => {}
    }
    assert_eq!(
        (count.load(Ordering::SeqCst), Arc::strong_count(&count)),
        (1, 2),
        "the run is gone, and all that it held"
    );
}
