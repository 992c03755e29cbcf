//! Contracts: changed by reducers alone, seen by readers alone, within budgets.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flowstate::contract::{Opened, TokenCounter};
use flowstate::error::{StateError, UpdateRejected, WriterTaken};
use flowstate::model::{Message, Reply, ScriptedModel};
use flowstate::prelude::*;
use flowstate::store::{Answer, Key, MemoryStore, Record, Store, Swap};
use serde_json::{Value, json};

#[data]
#[derive(Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Concise,
    Detailed,
}

#[state]
struct Profile {
    #[state(default = Tone::Concise)]
    pub tone: Tone,
    pub notes: Vec<String>,
    #[state(validate = short)]
    pub name: String,
}

fn short(name: &str) -> Result<(), String> {
    if name.len() > 8 { Err("it is longer than 8 letters".into()) } else { Ok(()) }
}

#[contract]
impl Profile {
    #[reducer]
    fn set_tone(&mut self, tone: Tone) {
        self.tone = tone;
    }

    #[reducer]
    fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }

    #[reducer]
    fn rename(&mut self, from: String, to: String) -> Result<(), String> {
        if self.name != from {
            return Err(format!("name: it is not {from:?}"));
        }
        self.name = to;
        Ok(())
    }

    #[reducer]
    fn clear(&mut self) {
        self.notes.clear();
    }

    #[reducer]
    fn explode(&mut self) {
        self.notes.push("half".into());
        panic!("boom");
    }

    #[validate]
    fn check(&self) -> Result<(), String> {
        match self.notes.iter().position(String::is_empty) {
            Some(at) => Err(format!("notes[{at}]: empty note")),
            None => Ok(()),
        }
    }

    #[reader]
    fn notes(&self) -> String {
        self.notes.join("; ")
    }

    #[reader]
    fn count(&self) -> String {
        format!("{} notes, {:?}", self.notes.len(), self.tone)
    }

    #[reader]
    fn shrinking(&self, budget: u32) -> String {
        if budget < 10 { self.notes.len().to_string() } else { self.notes.join("\n") }
    }

    #[reader]
    fn broken(&self) -> String {
        panic!("no text")
    }
}

fn keyed(store: &MemoryStore) -> App {
    App::builder().store(store.clone()).build().unwrap()
}

mod reducers {
    use super::*;

    #[block(handler, reads = [Profile::notes(budget = 100)], writes = [Profile])]
    async fn rejected(event: u32, ctx: Ctx) -> Result<String> {
        let profile = &ctx.writes.profile;
        profile.add_note("kept".into()).await?;
        let error = match event {
            0 => profile.add_note(String::new()).await,
            1 => profile.rename("x".into(), "y".into()).await,
            2 => profile.rename(String::new(), "far too long".into()).await,
            _ => profile.explode().await,
        };
        let error = error.unwrap_err();
        let update = error.downcast_ref::<UpdateRejected>().unwrap();
        assert_eq!(
            (error.code(), update.contract(), error.retryable()),
            ("state_rejected", "Profile", false)
        );
        let text = [update.event(), update.field(), update.reason()].join("|");
        Ok(format!("{text} -> {}", ctx.reads.profile.notes().await?))
    }

    #[tokio::test]
    async fn a_rejected_update_changes_nothing_and_says_what_is_wrong() {
        for (event, said) in [
            (0, "add_note|notes[1]|empty note -> kept"),
            (1, "rename|name|it is not \"x\" -> kept"),
            (2, "rename|name|it is longer than 8 letters -> kept"),
            (3, "explode||the reducer panicked: boom -> kept"),
        ] {
            assert_eq!(flowstate::run(rejected, event).await.unwrap(), said);
            let app = keyed(&MemoryStore::new());
            assert_eq!(app.request().session("a").run(rejected, event).await.unwrap(), said);
        }
    }

    #[block(handler, writes = [Profile])]
    async fn tell_twice(_: (), ctx: Ctx) -> Result<(bool, bool)> {
        let set = || ctx.writes.profile.set_tone(Tone::Detailed);
        Ok((set().await?, set().await?))
    }

    #[tokio::test]
    async fn an_update_that_changes_nothing_is_not_stored() {
        let store = MemoryStore::new();
        let app = keyed(&store);
        let done = app.request().session("a").run(tell_twice, ()).await.unwrap();
        assert_eq!(done, (true, false));
        let key = Key::new(flowstate::schema::Reach::Session, "a", "profile");
        assert_eq!(store.load(&key).await.unwrap().unwrap().version, 1);
    }

    #[block(handler, writes = [Profile])]
    async fn batches(_: (), ctx: Ctx) -> Result<String> {
        let profile = &ctx.writes.profile;
        profile.batch().add_note("a".into()).rename(String::new(), "b".into()).commit().await?;
        let refused = profile.batch().clear().add_note(String::new()).commit().await.unwrap_err();
        assert!(!profile.batch().commit().await?);
        Ok(refused.to_string())
    }

    #[tokio::test]
    async fn a_batch_is_stored_whole_or_not_at_all() {
        let app = keyed(&MemoryStore::new());
        assert_eq!(
            app.request().session("a").run(batches, ()).await.unwrap(),
            "`Profile` keeps its value: the update `add_note` was rejected: `notes[0]`: empty note"
        );
        let profile = app.state::<Profile>().session("a").get().await.unwrap();
        assert_eq!((profile.notes, profile.name), (vec!["a".to_owned()], "b".to_owned()));
    }

    #[state]
    struct Total {
        pub sum: u32,
    }

    static RUNS: AtomicU32 = AtomicU32::new(0);

    #[contract]
    impl Total {
        #[reducer]
        fn add(&mut self, by: u32) {
            RUNS.fetch_add(1, Ordering::Relaxed);
            self.sum += by;
        }
    }

    /// A store where others are faster, so many times.
    struct Outrun(MemoryStore, AtomicU32);

    impl Store for Outrun {
        fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
            self.0.load(key)
        }

        fn swap<'a>(&'a self, key: &'a Key, seen: Option<u64>, value: Value) -> Answer<'a, Swap> {
            Box::pin(async move {
                let faster = |left: u32| left.checked_sub(1);
                if key.state == "total"
                    && self.1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, faster).is_ok()
                {
                    let found = self.0.load(key).await?;
                    let sum =
                        found.as_ref().map_or(0, |found| found.value["sum"].as_u64().unwrap());
                    let other = json!({ "sum": sum + 100 });
                    self.0.swap(key, found.map(|found| found.version), other).await?;
                }
                self.0.swap(key, seen, value).await
            })
        }

        fn remove<'a>(&'a self, reach: flowstate::schema::Reach, id: &'a str) -> Answer<'a, ()> {
            self.0.remove(reach, id)
        }
    }

    #[block(handler, writes = [Total])]
    async fn add(by: u32, ctx: Ctx) -> Result<bool> {
        ctx.writes.total.add(by).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_reducer_runs_again_where_another_process_was_faster_and_five_times_at_most() {
        for (others, runs, sum) in [(2, 3, Some(201)), (4, 5, Some(401)), (5, 5, None)] {
            RUNS.store(0, Ordering::Relaxed);
            let store = Outrun(MemoryStore::new(), AtomicU32::new(others));
            let app = App::builder().store(store).build().unwrap();
            let done = app.request().session("a").run(add, 1).await;
            assert_eq!(RUNS.load(Ordering::Relaxed), runs);
            match sum {
                Some(sum) => {
                    assert!(done.unwrap());
                    let kept = app.state::<Total>().session("a").get().await.unwrap();
                    assert_eq!(kept.sum, sum);
                }
                None => {
                    let error = done.unwrap_err();
                    assert_eq!(error.code(), "concurrent_modification");
                    assert!(error.retryable());
                }
            }
        }
    }

    #[tokio::test]
    async fn no_update_of_many_requests_is_lost() {
        let app = keyed(&MemoryStore::new());
        let all = (0..50).map(|_| app.request().session("a").run(add, 1));
        futures_util::future::try_join_all(all).await.unwrap();
        assert_eq!(app.state::<Total>().session("a").get().await.unwrap().sum, 50);
    }
}

mod readers {
    use super::*;

    /// A token a word.
    struct Words;

    impl TokenCounter for Words {
        fn count(&self, text: &str) -> usize {
            text.split_whitespace().count()
        }
    }

    #[block(
        handler,
        reads = [
            Profile::notes(budget = 4), Profile::shrinking(unlimited), Profile::broken(budget = 5), Profile::count(budget = 1),
        ],
        writes = [Profile],
    )]
    async fn views(notes: Vec<String>, ctx: Ctx) -> Result<[String; 4]> {
        for note in notes {
            ctx.writes.profile.add_note(note).await?;
        }
        let profile = &ctx.reads.profile;
        let (notes, all) = (profile.notes().await?, profile.shrinking().await?);
        Ok([notes, all, profile.broken().await?, profile.count().await?])
    }

    #[tokio::test]
    async fn a_view_keeps_within_its_budget_with_the_marker() {
        let app = App::builder().token_counter(Words).build().unwrap();
        let notes = ["one two", "three", "four five"].map(str::to_owned).to_vec();
        let [cut, all, broken, none] = app.run(views, notes).await.unwrap();
        assert_eq!(cut, "one two; three;\n[cut]");
        assert_eq!(all, "one two\nthree\nfour five");
        assert_eq!((broken.as_str(), none.as_str()), ("", ""));
    }

    const SMALL: u32 = 3;

    #[block(handler, reads = [Profile::shrinking(budget = 2 * SMALL)], writes = [Profile])]
    async fn small(notes: Vec<String>, ctx: Ctx) -> Result<String> {
        for note in notes {
            ctx.writes.profile.add_note(note).await?;
        }
        ctx.reads.profile.shrinking().await
    }

    #[tokio::test]
    async fn a_reader_may_take_its_budget_which_may_be_a_constant() {
        let notes = vec!["a long note".to_owned(); 7];
        assert_eq!(flowstate::run(small, notes).await.unwrap(), "7");
        assert_eq!(small::HEAD.read_budget(), Some(6));
        assert_eq!(views::HEAD.read_budget(), None);
    }

    #[block(handler, reads = [Profile::notes(budget = 8)], writes = [Profile])]
    async fn estimated(note: String, ctx: Ctx) -> Result<String> {
        ctx.writes.profile.add_note(note).await?;
        ctx.reads.profile.notes().await
    }

    #[tokio::test]
    async fn tokens_are_estimated_by_script() {
        let run = async |note: String| flowstate::run(estimated, note).await.unwrap();
        assert_eq!(run("a".repeat(32)).await, "a".repeat(32));
        assert_eq!(run("a".repeat(33)).await, format!("{}\n[cut]", "a".repeat(26)));
        assert_eq!(run("語".repeat(9)).await, format!("{}\n[cut]", "語".repeat(6)));
    }

    #[block(router, routes = [few, many], reads = [Profile::count(budget = 20)])]
    async fn by_count(_: (), ctx: Ctx) -> Result<Route> {
        let few = ctx.reads.profile.count().await?.starts_with('0');
        Ok(if few { Route::Few } else { Route::Many })
    }

    #[block(handler)]
    async fn few(_: ()) -> Result<String> {
        Ok("few".into())
    }

    #[block(handler)]
    async fn many(_: ()) -> Result<String> {
        Ok("many".into())
    }

    #[block(sequencer, reads = [Profile::count(budget = 20)], writes = [Profile])]
    fn route(input: ()) -> String {
        input
            .tap(async |_, ctx| {
                ctx.writes.profile.add_note("x".into()).await?;
                Ok(())
            })
            .tap(async |_, ctx| {
                assert_eq!(ctx.reads.profile.count().await?, "1 notes, Concise");
                Ok(())
            })
            .step(by_count)
    }

    #[tokio::test]
    async fn routers_and_chains_read() {
        assert_eq!(flowstate::run(by_count, ()).await.unwrap(), "few");
        assert_eq!(flowstate::run(route, ()).await.unwrap(), "many");
    }
}

mod writers {
    use super::*;

    #[block(handler, writes = [Profile])]
    async fn note(note: String, ctx: Ctx) -> Result<String> {
        ctx.writes.profile.add_note(note.clone()).await?;
        Ok(note)
    }

    #[block(handler, writes = [Profile])]
    async fn opens(note: String, ctx: Ctx) -> Result<String> {
        let profile = &ctx.writes.profile;
        match profile.open().await? {
            Opened::Writer(writer) => {
                writer.add_note(note).await?;
                // the block itself is not shut out, and opens it again
                profile.add_note("mine".into()).await?;
                profile.open().await?.writer()?.set_tone(Tone::Detailed).await?;
                Ok("writer".into())
            }
            Opened::Reader(reader) => {
                let refused = profile.open().await?.writer().unwrap_err();
                assert_eq!(refused.code(), "writer_taken");
                let refused = profile.add_note(note).await.unwrap_err();
                let taken = refused.downcast_ref::<WriterTaken>().unwrap();
                assert_eq!((taken.contract(), taken.holder()), ("Profile", reader.holder()));
                Ok(format!("{} {}", reader.holder(), reader.get().await?.notes.join(" ")))
            }
        }
    }

    #[block(sequencer)]
    fn in_turn(input: String) -> String {
        input.step(opens).map(|_| "late".to_owned()).step(opens)
    }

    #[tokio::test]
    async fn the_first_block_that_opens_a_contract_writes_it_until_the_request_ends() {
        let app = keyed(&MemoryStore::new());
        let say = || app.request().session("a").run(in_turn, "early".to_owned());
        assert_eq!(say().await.unwrap(), "in_turn > opens early mine");
        assert_eq!(say().await.unwrap(), "in_turn > opens early mine early mine");
    }

    #[block(sequencer)]
    fn beside(input: String) -> String {
        input.step(opens).step(note)
    }

    #[tokio::test]
    async fn a_commit_beside_the_holder_is_refused() {
        let error = flowstate::run(beside, "a".to_owned()).await.unwrap_err();
        assert_eq!(error.code(), "writer_taken");
        assert_eq!(
            error.to_string(),
            "`Profile` is written by `beside > opens` alone until the request ends"
        );
        assert_eq!(error.path(), "beside > note");
    }

    static TRIES: AtomicU32 = AtomicU32::new(0);

    #[block(handler, writes = [Profile], retry(max = 2, base = "1ms"))]
    async fn tried(_: String, ctx: Ctx) -> Result<String> {
        let profile = ctx.writes.profile.open().await?.writer()?;
        profile.add_note("again".into()).await?;
        match TRIES.fetch_add(1, Ordering::Relaxed) {
            0 => Err(Error::msg("not yet")),
            _ => Ok(String::new()),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_block_that_is_tried_again_is_the_same_writer() {
        flowstate::run(tried, String::new()).await.unwrap();
        assert_eq!(TRIES.load(Ordering::Relaxed), 2);
    }

    #[block(sequencer, writes = [Profile])]
    async fn across(_: (), ctx: Ctx) -> Result<Vec<String>> {
        let notes: Vec<_> = (0..20).map(|n| n.to_string()).collect();
        ctx.for_each(note, notes).await
    }

    #[tokio::test]
    async fn blocks_of_one_request_commit_one_at_a_time() {
        let app = keyed(&MemoryStore::new());
        app.request().session("a").run(across, ()).await.unwrap();
        assert_eq!(app.state::<Profile>().session("a").get().await.unwrap().notes.len(), 20);
    }
}

mod scopes {
    use super::*;

    #[state]
    struct Habits {
        pub seen: Vec<String>,
    }

    #[contract(scope = user)]
    impl Habits {
        #[reducer]
        fn see(&mut self, what: String) {
            self.seen.push(what);
        }

        #[reader]
        fn all(&self) -> String {
            self.seen.join(" ")
        }
    }

    #[block(handler, reads = [Habits::all(budget = 50)], writes = [Habits])]
    async fn see(what: String, ctx: Ctx) -> Result<String> {
        ctx.writes.habits.see(what).await?;
        ctx.reads.habits.all().await
    }

    #[tokio::test]
    async fn a_contract_of_the_user_is_one_in_all_sessions() {
        let app = keyed(&MemoryStore::new());
        let run = async |user: &str, session: &str, what: &str| {
            app.request().user(user).session(session).run(see, what.to_owned()).await.unwrap()
        };
        assert_eq!(run("u", "1", "a").await, "a");
        assert_eq!(run("u", "2", "b").await, "a b");
        assert_eq!(run("v", "3", "c").await, "c");
    }

    #[block(handler, writes = [Profile])]
    async fn note(note: String, ctx: Ctx) -> Result<bool> {
        ctx.writes.profile.add_note(note).await
    }

    #[tokio::test]
    async fn a_block_under_test_is_given_its_contracts() {
        let given = Profile { name: "Ada".into(), ..Profile::default() };
        let tested = flowstate::test(note).session(given).run("x".to_owned()).await.unwrap();
        let profile = tested.session::<Profile>();
        assert_eq!(
            (profile.notes.as_slice(), profile.name.as_str()),
            (&["x".to_owned()][..], "Ada")
        );
    }

    #[tokio::test]
    async fn each_session_has_its_own_value() {
        let app = keyed(&MemoryStore::new());
        app.request().session("a").run(note, "x".to_owned()).await.unwrap();
        app.request().session("b").run(note, "y".to_owned()).await.unwrap();
        let of = async |id: &str| app.state::<Profile>().session(id).get().await.unwrap().notes;
        assert_eq!((of("a").await, of("b").await), (vec!["x".to_owned()], vec!["y".to_owned()]));
    }
}

mod defaults {
    use super::*;

    #[state]
    struct Limits {
        most: u32,
    }

    #[contract]
    impl Limits {
        #[validate]
        fn check(&self) -> Result<(), &'static str> {
            if self.most == 0 { Err("most: nothing would be let in") } else { Ok(()) }
        }

        #[reader]
        fn most(&self) -> String {
            self.most.to_string()
        }
    }

    #[block(handler, reads = [Limits::most(budget = 5)])]
    async fn limit(_: (), ctx: Ctx) -> Result<String> {
        ctx.reads.limits.most().await
    }

    flow! {
        #[flow(kind = "gate")]
        struct Gate {
            limit: limit,
        }
    }

    #[test]
    fn an_app_whose_contract_begins_with_what_it_refuses_is_not_built() {
        let error = App::builder().flow(Gate).build().unwrap_err();
        assert_eq!(error.code(), "app_invalid");
        assert_eq!(
            error.to_string(),
            "the default of the contract `Limits` does not hold: `most`: nothing would be let in"
        );
    }
}

mod old_data {
    use super::*;

    #[state]
    struct Tasks {
        pub open: Vec<String>,
        pub done: u32,
    }

    #[contract(version = 3)]
    impl Tasks {
        #[reducer]
        fn add(&mut self, task: String) {
            self.open.push(task);
        }

        #[reader]
        fn all(&self) -> String {
            format!("{} / {}", self.open.join(" "), self.done)
        }

        #[validate]
        fn check(&self) -> Result<(), String> {
            if self.done > 100 { Err("done: too many".into()) } else { Ok(()) }
        }

        /// One text, with commas.
        #[migrate(from = 1)]
        fn lists(mut stored: Value) -> Value {
            let text = stored["tasks"].as_str().unwrap_or_default().to_owned();
            stored["tasks"] = json!(text.split(',').collect::<Vec<_>>());
            stored
        }

        #[migrate(from = 2)]
        fn renamed(mut stored: Value) -> Value {
            let tasks = stored["tasks"].take();
            json!({ "open": tasks, "done": stored["done"] })
        }

        #[repair]
        fn repair(mut stored: Value) -> Value {
            assert_ne!(stored["done"], 99, "no way to mend it");
            if stored["done"].is_null() {
                stored["done"] = json!(0);
            }
            stored
        }
    }

    #[block(handler, reads = [Tasks::all(budget = 50)], writes = [Tasks])]
    async fn add(task: Option<String>, ctx: Ctx) -> Result<String> {
        if let Some(task) = task {
            ctx.writes.tasks.add(task).await?;
        }
        ctx.reads.tasks.all().await
    }

    async fn after(stored: Value, task: Option<&str>) -> (Result<String>, Value, Vec<Value>) {
        let app = keyed(&MemoryStore::new());
        let tasks = app.state::<Tasks>().session("a");
        tasks.write_raw(stored).await.unwrap();
        let said = app.request().session("a").run(add, task.map(str::to_owned)).await;
        (said, tasks.raw().await.unwrap().unwrap(), tasks.quarantined().await.unwrap())
    }

    #[tokio::test]
    async fn old_versions_are_brought_up_one_by_one_and_reading_writes_nothing() {
        for (stored, said) in [
            (json!({ "tasks": "a,b", "done": 2 }), "a b / 2"),
            (json!({ "tasks": ["a", "b"], "$version": 2 }), "a b / 0"),
            (json!({ "open": ["a"], "done": 1, "$version": 3 }), "a / 1"),
        ] {
            let (read, raw, _) = after(stored.clone(), None).await;
            assert_eq!((read.unwrap().as_str(), &raw), (said, &stored));
        }
    }

    #[tokio::test]
    async fn a_commit_stores_the_version_of_today() {
        let (read, raw, aside) = after(json!({ "tasks": "a", "done": 2, "x": 1 }), Some("b")).await;
        assert_eq!(read.unwrap(), "a b / 2");
        assert_eq!(raw, json!({ "open": ["a", "b"], "done": 2, "$version": 3 }));
        assert!(aside.is_empty());
    }

    #[tokio::test]
    async fn what_a_newer_program_stored_is_neither_read_nor_written() {
        let stored = json!({ "open": [], "$version": 4 });
        for task in [None, Some("b")] {
            let (read, raw, _) = after(stored.clone(), task).await;
            let error = read.unwrap_err();
            let newer = StateError::Newer { state: "Tasks", stored: 4, known: 3 };
            assert_eq!((error.code(), error.downcast_ref()), ("state_newer", Some(&newer)));
            assert_eq!(raw, stored);
        }
    }

    #[tokio::test]
    async fn what_cannot_be_mended_reads_as_the_default_and_is_put_aside_by_the_first_commit() {
        for stored in [
            json!({ "open": 7, "$version": 3 }),
            json!({ "open": [], "done": 101, "$version": 3 }),
            json!({ "open": ["a"], "done": 99, "$version": 3 }),
            json!({ "open": ["a"], "done": 1, "$version": "x" }),
            json!("nothing"),
        ] {
            let (read, raw, aside) = after(stored.clone(), None).await;
            assert_eq!((read.unwrap().as_str(), &raw, aside.len()), (" / 0", &stored, 0));
            let (read, raw, aside) = after(stored.clone(), Some("b")).await;
            assert_eq!(read.unwrap(), "b / 0");
            assert_eq!(raw, json!({ "open": ["b"], "done": 0, "$version": 3 }));
            assert_eq!(aside, [stored]);
        }
    }

    #[state]
    struct Loose {
        pub notes: Vec<String>,
    }

    #[contract]
    impl Loose {
        #[reducer]
        fn add(&mut self, note: String) {
            self.notes.push(note);
        }

        #[repair]
        fn repair(mut stored: Value) -> Value {
            if let Some(note) = stored.get("note").cloned() {
                stored["notes"] = json!([note]);
            }
            stored
        }
    }

    #[block(handler, writes = [Loose])]
    async fn loose(note: String, ctx: Ctx) -> Result<bool> {
        ctx.writes.loose.add(note).await
    }

    #[tokio::test]
    async fn what_was_mended_is_not_mended_again_over_what_was_added() {
        let app = keyed(&MemoryStore::new());
        let kept = app.state::<Loose>().session("a");
        kept.write_raw(json!({ "note": "old", "other": 1 })).await.unwrap();
        for note in ["b", "c"] {
            app.request().session("a").run(loose, note.to_owned()).await.unwrap();
        }
        assert_eq!(kept.raw().await.unwrap().unwrap(), json!({ "notes": ["old", "b", "c"] }));
        // what it does not know stays where nothing was mended
        kept.write_raw(json!({ "notes": [], "other": 1 })).await.unwrap();
        app.request().session("a").run(loose, "b".to_owned()).await.unwrap();
        assert_eq!(kept.raw().await.unwrap().unwrap(), json!({ "notes": ["b"], "other": 1 }));
    }

    #[tokio::test]
    async fn without_a_store_old_data_is_mended_as_it_comes() {
        let app = App::builder().build().unwrap();
        let kept = app.state::<Loose>().session("a");
        kept.write_raw(json!({ "note": "old" })).await.unwrap();
        assert_eq!(kept.get().await.unwrap().notes, ["old"]);
        assert_eq!(
            kept.write_raw(json!({ "notes": 7 })).await.unwrap_err().code(),
            "validation_error"
        );
    }
}

mod generators {
    use super::*;

    #[data]
    struct Note {
        text: String,
        /// How long it takes, so that a later call may be done before an earlier one.
        #[serde(default)]
        wait: u64,
    }

    /// Writes a note by itself.
    #[block(handler, writes = [Profile])]
    async fn write(note: Note, ctx: Ctx) -> Result<String> {
        tokio::time::sleep(Duration::from_millis(note.wait)).await;
        ctx.writes.profile.add_note(note.text.clone()).await?;
        Ok(note.text)
    }

    static EFFECTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

    /// Only says what is to be noted.
    #[block(handler, feeds = [
        Profile::add_note(|text: &String| text.clone()),
        Profile::set_tone(|text: &String| (text == "long").then_some(Tone::Detailed)),
        Profile::rename(|text: &String| if text == "twice" { vec![(String::new(), "a".into()), ("a".into(), "b".into())] } else { vec![] }),
    ])]
    async fn find(note: Note) -> Result<String> {
        tokio::time::sleep(Duration::from_millis(note.wait)).await;
        if note.text == "fails" {
            return Err(Error::msg("not found"));
        }
        EFFECTS.lock().unwrap().push(note.text.clone());
        Ok(note.text)
    }

    #[block(
        generator, model = "intent/chat", tools = [write, find],
        reads = [Profile::count(budget = 50), Profile::notes(budget = 50)], writes = [Profile],
    )]
    async fn agent(question: &str) -> Result<Prompt> {
        Ok(Prompt::system("Answer.").user(question))
    }

    async fn ask(
        replies: impl IntoIterator<Item = Reply>,
    ) -> (Result<String>, ScriptedModel, Profile) {
        let model = ScriptedModel::new(replies);
        let app = App::builder().model(model.clone()).store(MemoryStore::new()).build().unwrap();
        let said = app.request().session("a").run(agent, "?".to_owned()).await;
        let profile = app.state::<Profile>().session("a").get().await.unwrap();
        (said, model, profile)
    }

    fn results(model: &ScriptedModel) -> Vec<(bool, String)> {
        let last = model.requests().pop().unwrap();
        let of = |message: &Message| match message {
            Message::Tool(result) => Some((result.failed, result.text.clone())),
            _ => None,
        };
        last.messages().iter().filter_map(of).collect()
    }

    #[tokio::test]
    async fn views_stand_in_the_system_text_before_every_step_in_order() {
        let call = |text: &str| Reply::tool("write", json!({ "text": text }));
        let (_, model, _) = ask([call("tea"), call("milk"), Reply::text("Done.")]).await;
        let system: Vec<_> = model.requests().iter().map(|r| r.system().to_owned()).collect();
        let shown = |n: u32, notes: &str| {
            let count = format!("{n} notes, Concise");
            let notes = if notes.is_empty() { String::new() } else { format!("\n\n{notes}") };
            format!("Answer.\n\n{count}{notes}")
        };
        assert_eq!(system, [shown(0, ""), shown(1, "tea"), shown(2, "tea; milk")]);
    }

    /// Fails once it has asked for one view; then it places the other itself, in two of three steps.
    #[block(
        generator, model = "intent/chat", tools = [write], retry(max = 2),
        reads = [Profile::count(budget = 50), Profile::notes(budget = 50)], writes = [Profile],
    )]
    async fn placing(tries: Arc<AtomicU32>, ctx: Ctx) -> Result<Prompt> {
        let first = tries.fetch_add(1, Ordering::Relaxed) == 0;
        if first {
            ctx.reads.profile.notes().await?;
            return Err(Error::msg("not yet").with_retryable(true));
        }
        let own = match tries.load(Ordering::Relaxed) {
            2 | 3 => format!("Seen: {}.", ctx.reads.profile.count().await?),
            _ => "Nothing.".to_owned(),
        };
        Ok(Prompt::system(own).user("?"))
    }

    #[tokio::test(start_paused = true)]
    async fn a_view_that_the_function_asks_for_is_not_shown_again_in_that_step() {
        let call = |text: &str| Reply::tool("write", json!({ "text": text }));
        let model = ScriptedModel::new([call("tea"), call("milk"), Reply::text("Done.")]);
        let app = App::builder().model(model.clone()).build().unwrap();
        app.run(placing, Arc::default()).await.unwrap();
        let system: Vec<_> = model.requests().iter().map(|r| r.system().to_owned()).collect();
        let own = |n: u32| format!("Seen: {n} notes, Concise.");
        let both = "Nothing.\n\n2 notes, Concise\n\ntea; milk".to_owned();
        assert_eq!(system, [own(0), format!("{}\n\ntea", own(1)), both]);
    }

    #[tokio::test(start_paused = true)]
    async fn parallel_calls_commit_in_the_order_of_the_calls() {
        let calls = [
            ("write", json!({ "text": "1", "wait": 300 })),
            ("find", json!({ "text": "2", "wait": 200 })),
            ("write", json!({ "text": "3", "wait": 100 })),
            ("find", json!({ "text": "4" })),
        ];
        let (said, _, profile) = ask([Reply::tools(calls), Reply::text("Done.")]).await;
        assert_eq!(
            (said.unwrap().as_str(), profile.notes.join(" ").as_str()),
            ("Done.", "1 2 3 4")
        );
    }

    #[tokio::test]
    async fn a_feed_yields_one_update_or_none_or_many() {
        let call = |text: &str| Reply::tool("find", json!({ "text": text }));
        let (_, _, profile) =
            ask([call("long"), call("twice"), call("fails"), Reply::text("Done.")]).await;
        assert_eq!(profile.notes, ["long", "twice"]);
        assert_eq!((profile.tone, profile.name.as_str()), (Tone::Detailed, "b"));
    }

    #[tokio::test]
    async fn a_rejected_update_is_the_models_to_correct() {
        let call = |tool: &str, text: &str| Reply::tool(tool, json!({ "text": text }));
        let (said, model, profile) =
            ask([call("write", ""), call("find", ""), call("write", "tea"), Reply::text("Done.")])
                .await;
        assert_eq!((said.unwrap().as_str(), profile.notes.join(" ").as_str()), ("Done.", "tea"));
        let text =
            "`Profile` keeps its value: the update `add_note` was rejected: `notes[0]`: empty note";
        assert_eq!(
            results(&model),
            [
                (
                    true,
                    format!(
                        "{text}\n(the tool stopped at this; what it had done before stays done)"
                    )
                ),
                (
                    true,
                    format!(
                        "{text}\n(the tool has run, and what it did stays done; only this update is not stored)"
                    )
                ),
                (false, "tea".to_owned()),
            ]
        );
        assert!(EFFECTS.lock().unwrap().contains(&String::new()));
    }

    #[tokio::test]
    async fn a_model_is_told_of_three_rejected_updates_and_the_fourth_ends_the_run() {
        let bad = || Reply::tool("write", json!({ "text": "" }));
        let (said, model, _) = ask([bad(), bad(), bad(), Reply::text("Done.")]).await;
        assert_eq!((said.unwrap().as_str(), model.left()), ("Done.", 0));
        let (said, model, _) = ask([bad(), bad(), bad(), bad(), Reply::text("Done.")]).await;
        let error = said.unwrap_err();
        assert_eq!(
            (error.code(), error.path(), model.left()),
            ("state_rejected", "agent > write", 1)
        );
    }

    #[block(sequencer)]
    fn searched(input: Note) -> String {
        input.step(find)
    }

    #[block(generator, model = "intent/chat", writes = [Profile], tools = [
        plain = find.connect_output(|_| "found".to_owned()), searched,
        saved = find.rescue::<Error>(fallback),
    ])]
    async fn adapted(question: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(question))
    }

    #[block(handler)]
    async fn fallback(_: Rescued) -> Result<String> {
        Ok("nothing".into())
    }

    #[tokio::test]
    async fn a_tool_feeds_behind_adapters_and_a_step_does_not() {
        let model = ScriptedModel::new([
            Reply::tool("plain", json!({ "text": "a" })),
            Reply::tool("searched", json!({ "text": "b" })),
            Reply::tool("saved", json!({ "text": "fails" })),
            Reply::text("Done."),
        ]);
        let app = App::builder().model(model.clone()).build().unwrap();
        app.request().session("s").run(adapted, "?".to_owned()).await.unwrap();
        let texts: Vec<_> = results(&model).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["found", "b", "nothing"]);
        assert_eq!(app.state::<Profile>().session("s").get().await.unwrap().notes, ["a"]);
    }

    #[block(generator, model = "intent/chat", writes = [Profile], tools = [find, opener])]
    async fn contested(question: &str) -> Result<Prompt> {
        Ok(Prompt::system("").user(question))
    }

    /// Keeps the profile for itself.
    #[block(handler, writes = [Profile])]
    async fn opener(_: Note, ctx: Ctx) -> Result<String> {
        ctx.writes.profile.open().await?.writer()?.set_tone(Tone::Detailed).await?;
        Ok("mine".into())
    }

    #[tokio::test]
    async fn a_feed_beside_the_holder_is_refused_and_the_model_is_told() {
        let model = ScriptedModel::new([
            Reply::tool("opener", json!({ "text": "" })),
            Reply::tool("find", json!({ "text": "a" })),
            Reply::text("Done."),
        ]);
        let app = App::builder().model(model.clone()).build().unwrap();
        app.run(contested, "?".to_owned()).await.unwrap();
        let (failed, text) = results(&model).pop().unwrap();
        assert!(failed);
        assert!(text.starts_with("`Profile` is written by `contested > opener` alone"), "{text}");
        assert!(text.contains("the tool has run"));
    }
}

#[test]
fn a_definition_tells_what_a_block_reads_writes_and_feeds() {
    let head = generators_head();
    let reads: Vec<_> =
        head.reads.iter().map(|view| (view.contract.name, view.reader, view.budget)).collect();
    assert_eq!(reads, [("Profile", "notes", Some(30))]);
    assert_eq!(head.writes[0].name, "Profile");
    let contract = head.writes[0].contract.unwrap();
    assert_eq!(contract.reducers, ["set_tone", "add_note", "rename", "clear", "explode"]);
    assert_eq!(contract.readers, ["notes", "count", "shrinking", "broken"]);
}

fn generators_head() -> &'static flowstate::schema::Head {
    #[block(handler, reads = [Profile::notes(budget = 30)], writes = [Profile])]
    async fn both(_: ()) -> Result<()> {
        Ok(())
    }
    both::HEAD
}

#[test]
fn a_contract_is_a_value_like_any_other() {
    let mut profile = Profile::default();
    profile.add_note("by hand".into());
    assert_eq!((profile.count(), Arc::new(profile).check()), ("1 notes, Concise".into(), Ok(())));
}

/// Signatures that are not of the common form.
mod forms {
    use super::*;

    macro_rules! tally {
        ($name:ident) => {
            #[state]
            struct $name {
                total: i64,
            }

            #[contract(version = 2)]
            impl $name {
                #[reducer]
                fn merge(&mut self, other: Self) {
                    self.total += other.total;
                }

                #[reducer]
                fn add(&mut self, mut value1: i64, _: bool, (a, b): (i64, i64)) {
                    value1 *= a + b;
                    self.total += value1;
                }

                #[validate]
                fn check(&self) -> Result<(), String> {
                    if self.total < 0 { Err("total: less than nothing".into()) } else { Ok(()) }
                }

                #[migrate(from = 1)]
                fn counted(mut stored: Value) -> Value {
                    stored["total"] = stored["count"].take();
                    stored
                }

                #[reader]
                fn show(&self) -> String {
                    self.total.to_string()
                }
            }
        };
    }
    tally!(Tally);

    #[block(handler, reads = [Tally::show(budget = 5)], writes = [Tally])]
    async fn count(by: i64, ctx: Ctx) -> Result<String> {
        let tally = &ctx.writes.tally;
        tally.batch().merge(Tally { total: 1 }).add(by, true, (1, 1)).commit().await?;
        ctx.reads.tally.show().await
    }

    #[tokio::test]
    async fn a_reducer_takes_its_own_type_and_patterns() {
        let app = App::builder().build().unwrap();
        app.state::<Tally>().session("s").write_raw(json!({ "count": 7 })).await.unwrap();
        let count = |by| app.request().session("s").run(count, by);
        assert_eq!(count(2).await.unwrap(), "12");
        assert_eq!(count(-50).await.unwrap_err().code(), "state_rejected");
    }
}
