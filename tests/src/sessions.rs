//! Sessions: whose they are, what is kept of them, and how they end.

use std::sync::Arc;

use flowstate::item::Outcome;
use flowstate::prelude::*;
use flowstate::store::{FileStore, MemoryStore};
use serde_json::json;
use tokio::sync::Semaphore;

#[state]
struct Visits {
    count: u32,
}

#[block(handler, session = Visits)]
async fn talk(text: String, ctx: Ctx) -> Result<u32> {
    if text == "fail" {
        ctx.message("I tried.");
        return Err(Error::with_code("no_way", "it cannot be done"));
    }
    ctx.status("thinking");
    ctx.message(format!("You said {text}."));
    ctx.session
        .count
        .modify(|n| {
            *n += 1;
            *n
        })
        .await
}

#[block(handler, needs = [Arc<Semaphore>])]
async fn wait(_: (), ctx: Ctx) -> Result<()> {
    ctx.needs.arc.acquire().await?.forget();
    Ok(())
}

flow! {
    struct Chat {
        #[action(user_message = |text: &String| text.clone())]
        pub talk: talk,
        pub wait: wait,
    }
}

fn app() -> (App, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let app = App::builder().flow(Chat).provide(gate.clone()).store(MemoryStore::new());
    (app.build().unwrap(), gate)
}

async fn say(app: &App, user: &str, session: &str, text: &str) -> Result<u32> {
    app.request().user(user).session(session).call(Chat::talk, text.into()).await
}

#[tokio::test]
async fn a_session_is_its_first_users() {
    let (app, _) = app();
    assert_eq!(say(&app, "ada", "s", "hi").await.unwrap(), 1);
    let not_there = app.sessions().user("bob").get("nowhere").await.unwrap_err();
    for error in [
        say(&app, "bob", "s", "hi").await.unwrap_err(),
        app.request().session("s").call(Chat::talk, "hi".into()).await.unwrap_err(),
        app.request().user("bob").session("s").run(talk, "hi".into()).await.unwrap_err(),
        app.request().user("bob").session("s").start(talk, "hi".into()).await.unwrap_err(),
        app.request().user("bob").session("s").start(Chat::talk, "hi".into()).await.unwrap_err(),
        app.request()
            .user("bob")
            .session("s")
            .call_named("chat", "talk", json!(""))
            .await
            .unwrap_err(),
        app.sessions().user("bob").get("s").await.unwrap_err(),
        app.sessions().get("s").await.unwrap_err(),
    ] {
        assert_eq!(error.code(), "session_not_found");
        let as_unknown = not_there.to_string().replace("nowhere", "s");
        assert_eq!(error.to_string(), as_unknown, "as if it did not exist");
    }
    assert_eq!(say(&app, "ada", "s", "again").await.unwrap(), 2, "and nothing was changed");
    assert!(app.sessions().user("bob").list().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_session_without_a_user_is_open_and_on_no_list() {
    let (app, _) = app();
    app.request().session("s").call(Chat::talk, "hi".into()).await.unwrap();
    assert_eq!(say(&app, "ada", "s", "hi").await.unwrap(), 2);
    assert_eq!(app.sessions().get("s").await.unwrap().info().await.unwrap().user, None);
    assert!(app.sessions().user("ada").list().await.unwrap().is_empty());
}

#[tokio::test]
async fn sessions_of_one_id_are_apart_by_tenant() {
    let (app, _) = app();
    let tenants = [None, Some(""), Some("t"), Some("t/"), Some("%"), Some("@")];
    let ids = ["s", "@/s", "@t/s", "/s", "@%/s", ""];
    for _ in 0..2 {
        for tenant in tenants {
            for id in ids {
                let mut request = app.request().user("ada").session(id);
                if let Some(tenant) = tenant {
                    request = request.tenant(tenant);
                }
                request.call(Chat::talk, "x".into()).await.unwrap();
            }
        }
    }
    for tenant in tenants {
        let mut sessions = app.sessions().user("ada");
        let mut states = app.state::<Visits>();
        if let Some(tenant) = tenant {
            (sessions, states) = (sessions.tenant(tenant), states.tenant(tenant));
        }
        let listed: Vec<_> =
            sessions.list().await.unwrap().into_iter().map(|session| session.id).collect();
        assert_eq!(listed, ids, "{tenant:?}");
        for id in ids {
            assert_eq!(states.session(id).get().await.unwrap().count, 2, "{tenant:?} {id}");
        }
    }
}

#[tokio::test]
async fn what_was_said_is_read_by_turns_and_tokens() {
    let (app, _) = app();
    for text in ["one", "two", "fail", "three"] {
        let _ = say(&app, "ada", "s", text).await;
    }
    let session = app.sessions().user("ada").get("s").await.unwrap();
    let texts = |messages: Vec<flowstate::model::Message>| {
        messages.iter().map(|message| message.text().to_owned()).collect::<Vec<_>>()
    };
    let all = [
        "one",
        "You said one.",
        "two",
        "You said two.",
        "fail",
        "I tried.",
        "three",
        "You said three.",
    ];
    assert_eq!(texts(session.history(99).await.unwrap()), all);
    assert_eq!(texts(session.history(2).await.unwrap()), all[4..]);
    assert!(session.history(0).await.unwrap().is_empty());
    let words = |text: &str| text.split(' ').count();
    assert_eq!(texts(session.history_within(8, words).await.unwrap()), all[4..]);
    assert_eq!(
        texts(session.history_within(0, words).await.unwrap()),
        all[6..],
        "the last, always"
    );
    let items = session.items().await.unwrap();
    let kinds: Vec<_> = items.iter().map(|item| item.message().is_some()).collect();
    assert_eq!(kinds, [true; 8], "news of the moment is not kept");
}

/// What a block sees of the session's history, by turns or by words.
#[data]
#[derive(Copy)]
struct Look {
    turns: Option<usize>,
    words: usize,
}

const fn turns(turns: usize) -> Look {
    Look { turns: Some(turns), words: 0 }
}

const fn words(words: usize) -> Look {
    Look { turns: None, words }
}

#[block(handler)]
async fn look(look: Look, ctx: Ctx) -> Result<Vec<String>> {
    ctx.message("I look.");
    let said = match look.turns {
        Some(turns) => ctx.history(turns).await?,
        None => ctx.history_within(look.words).await?,
    };
    Ok(said.iter().map(|message| message.text().to_owned()).collect())
}

struct Words;

impl flowstate::model::TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

flow! {
    struct Looks {
        pub talk: talk,
        #[action(user_message = |_: &Look| "Look!".to_string())]
        pub look: look,
    }
}

#[tokio::test]
async fn a_block_reads_what_was_said_before_it_and_in_its_own_request() {
    let own = ["Look!", "I look."].map(String::from);
    for (wanted, before) in [
        (turns(0), 0),
        (turns(1), 1),
        (turns(2), 2),
        (turns(9), 3),
        // its own take 3, each before it 3
        (words(9), 2),
        (words(11), 2),
        (words(12), 3),
        // the last, always
        (words(0), 1),
    ] {
        let app = App::builder().flow(Looks).token_counter(Words).build().unwrap();
        let request = || app.request().user("ada").session("s");
        for text in ["one", "two", "three"] {
            request().call(Looks::talk, text.into()).await.unwrap();
        }
        let said = request().call(Looks::look, wanted).await.unwrap();
        let all = ["one", "two", "three"].map(|text| format!("You said {text}."));
        assert_eq!(said, [&all[3 - before..], &own].concat(), "{wanted:?}");
        // no session, no history
        assert!(app.request().call(Looks::look, wanted).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_test_says_what_was_said() {
    let said = ["one", "two"].map(flowstate::model::Message::user);
    let said = [said[0].clone(), flowstate::model::Message::assistant("1"), said[1].clone()];
    for (wanted, left) in
        [(turns(0), 3), (turns(1), 2), (turns(2), 0), (words(0), 2), (words(3), 0)]
    {
        let test = flowstate::test(look).token_counter(Words).history(said.clone());
        let seen = test.run(wanted).await.unwrap().output;
        assert_eq!(seen, ["one", "1", "two"][left..], "{wanted:?}");
    }
}

#[tokio::test]
async fn a_request_is_known_while_it_runs_and_after() {
    let (app, gate) = app();
    say(&app, "ada", "s", "hi").await.unwrap();
    let _ = say(&app, "ada", "s", "fail").await;
    let run = app.request().user("ada").session("s").start(Chat::wait, ()).await.unwrap();
    tokio::task::yield_now().await;
    let session = app.sessions().user("ada").get("s").await.unwrap();
    let requests = session.requests().await.unwrap();
    let outcomes: Vec<_> = requests.iter().map(|one| (&*one.action, one.outcome.clone())).collect();
    let failed = Outcome::Failed { code: "no_way".into(), message: "it cannot be done".into() };
    assert_eq!(
        outcomes,
        [("talk", Some(Outcome::Completed)), ("talk", Some(failed)), ("wait", None)]
    );
    let id = requests[2].id.clone();
    gate.add_permits(1);
    run.output().await.unwrap();
    let request = session.request(&id).await.unwrap().unwrap();
    assert_eq!(request.outcome, Some(Outcome::Completed));
    assert_eq!(session.request("other").await.unwrap(), None);
}

#[tokio::test]
async fn a_title_metadata_and_a_journal_are_kept() {
    let (app, _) = app();
    say(&app, "ada", "s", "hi").await.unwrap();
    let session = app.sessions().user("ada").get("s").await.unwrap();
    session.set_title("Greetings").await.unwrap();
    let map = |json: serde_json::Value| json.as_object().unwrap().clone();
    session.set_metadata(map(json!({ "a": 1, "b": 1 }))).await.unwrap();
    session.set_metadata(map(json!({ "b": 2 }))).await.unwrap();
    session.add_to_journal("began").await.unwrap();
    session.add_to_journal("went on").await.unwrap();
    say(&app, "ada", "s", "hi").await.unwrap();
    let info = session.info().await.unwrap();
    assert_eq!(info.title.as_deref(), Some("Greetings"));
    assert_eq!(info.metadata, map(json!({ "a": 1, "b": 2 })));
    let journal = session.journal().await.unwrap();
    assert_eq!(journal.iter().map(|line| &*line.text).collect::<Vec<_>>(), ["began", "went on"]);
}

#[tokio::test]
async fn a_deleted_session_is_gone_from_every_store() {
    let folder = std::env::temp_dir().join(format!("flowstate-sessions-{}", std::process::id()));
    let builder = || App::builder().flow(Chat).provide(Arc::new(Semaphore::new(0)));
    let in_memory = builder().build().unwrap();
    let in_store = app().0;
    let in_files = builder().store(FileStore::open(&folder).await.unwrap()).build().unwrap();
    for app in [in_memory, in_store, in_files] {
        say(&app, "ada", "s", "hi").await.unwrap();
        say(&app, "ada", "other", "hi").await.unwrap();
        let session = app.sessions().user("ada").get("s").await.unwrap();
        session.clone().delete().await.unwrap();
        assert_eq!(session.info().await.unwrap_err().code(), "session_not_found");
        assert_eq!(session.delete().await.unwrap_err().code(), "session_not_found");
        let left = app.sessions().user("ada").list().await.unwrap();
        assert_eq!(left.iter().map(|session| &*session.id).collect::<Vec<_>>(), ["other"]);
        // the id is free: also for another user
        assert_eq!(say(&app, "bob", "s", "hi").await.unwrap(), 1);
        let history = app.sessions().user("bob").get("s").await.unwrap().history(9).await.unwrap();
        assert_eq!(history.len(), 2);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn memory_is_bounded_and_what_is_in_use_stays() {
    let gate = Arc::new(Semaphore::new(0));
    let app = App::builder().flow(Chat).provide(gate.clone()).keep_in_memory(8).build().unwrap();
    let talk = |session: &str| app.request().session(session).call(Chat::talk, "hi".into());
    talk("used").await.unwrap();
    #[block(handler, session = Visits, needs = [Arc<Semaphore>])]
    async fn holds(_: (), ctx: Ctx) -> Result<u32> {
        ctx.needs.arc.acquire().await?.forget();
        Ok(ctx.session.count.get())
    }
    talk("held").await.unwrap();
    let run = app.request().session("held").start(holds, ()).await.unwrap();
    tokio::task::yield_now().await;
    for n in 0..100 {
        talk(&format!("s{n}")).await.unwrap();
        talk("used").await.unwrap();
    }
    assert_eq!(talk("used").await.unwrap(), 102, "it was used all the time");
    gate.add_permits(1);
    assert_eq!(run.output().await.unwrap(), 1);
    assert_eq!(talk("held").await.unwrap(), 2, "a request had it open");
    assert_eq!(talk("s0").await.unwrap(), 1, "it was used long ago");
    let forgotten = app.sessions().get("s1").await.unwrap_err();
    assert_eq!(forgotten.code(), "session_not_found");
    assert!(app.sessions().get("s99").await.is_ok());
}

#[tokio::test]
async fn requests_that_end_together_are_all_kept() {
    let (app, _) = app();
    let calls = (0..20).map(|n| {
        let app = app.clone();
        tokio::spawn(async move { say(&app, "ada", "s", &n.to_string()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    let session = app.sessions().user("ada").get("s").await.unwrap();
    assert_eq!(session.requests().await.unwrap().len(), 20);
    assert_eq!(session.items().await.unwrap().len(), 40);
}
