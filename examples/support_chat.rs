//! A chat at a support desk that remembers: `cargo run -p flowstate-examples --features sqlite --example support_chat -- chat.db ada`, and again.
//!
//! It needs no model from outside: the desk's answers are scripted below. `/forget` deletes what was said, `/quit` ends.

use std::io::{BufRead as _, Write as _};

use flowstate::model::{Delta, Deltas, Message, Model, ModelRequest, Role, deltas};
use flowstate::prelude::*;
use flowstate::store::SqliteStore;

/// One thing that was said.
#[data]
pub struct Line {
    pub user: bool,
    pub text: String,
}

/// What the desk knows of one conversation.
#[state]
pub struct Talk {
    pub lines: Vec<Line>,
}

/// What it knows of a customer, over all conversations.
#[state]
pub struct Customer {
    pub questions: u32,
}

/// Answers at the desk.
#[block(generator, model = "desk/script", session = Talk, user = Customer)]
async fn desk(question: &str, ctx: Ctx) -> Result<Prompt> {
    let before = ctx.session.lines.get().into_iter().map(|line| match line.user {
        true => Message::user(line.text),
        false => Message::assistant(line.text),
    });
    let count = ctx.user.questions.get();
    Ok(Prompt::system(format!("The customer has asked {count} times."))
        .history(before)
        .user(question))
}

/// Keeps what was said, when it was answered.
#[block(sequencer, session = Talk, user = Customer, steps = [desk])]
async fn ask(question: String, ctx: Ctx) -> Result<String> {
    let answer = ctx.step(desk, question.clone()).await?;
    let said = [(true, &question), (false, &answer)];
    ctx.session
        .lines
        .update(|lines| lines.extend(said.map(|(user, text)| Line { user, text: text.clone() })))
        .await?;
    ctx.user.questions.inc(1).await?;
    Ok(answer)
}

flow! {
    /// The support desk.
    #[flow(kind = "support", require_user)]
    pub struct Support {
        /// Answers one question.
        #[action(concurrency = queue, user_message = |question: &String| question.clone())]
        pub ask: ask,
    }
}

/// Says what a patient person at a desk would say.
struct Script;

impl Model for Script {
    fn name(&self) -> &str {
        "desk/script"
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
        let questions = request.messages.iter().filter(|said| said.role() == Role::User);
        let questions: Vec<_> = questions.map(Message::text).collect();
        let answer = match questions.split_last() {
            Some((now, before)) if before.contains(now) => "You asked that before.".to_owned(),
            Some((_, [])) => "Thank you, I made a note. What else?".to_owned(),
            Some((_, [.., last])) => format!("Noted. Before that you said: {last}"),
            None => "How can I help?".to_owned(),
        };
        deltas(async { Ok([Delta::Text(answer)]) })
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "support_chat.db".to_owned());
    let user = arguments.next().unwrap_or_else(|| "guest".to_owned());
    let store = SqliteStore::open(&file).await?;
    let app = App::builder().flow(Support).model(Script).store(store).build()?;
    let session = format!("desk of {user}");

    let known = app.sessions().user(&user).list().await?;
    if known.iter().any(|one| one.id == session) {
        let talk = app.state::<Talk>().session(&session).get().await?;
        println!("Welcome back, {user}. So far:");
        for line in talk.lines {
            println!("  {}: {}", if line.user { &user } else { "desk" }, line.text);
        }
    } else {
        println!("Hello, {user}.");
    }
    loop {
        print!("> ");
        std::io::stdout().flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            break;
        }
        match line.trim() {
            "" => {}
            "/quit" => break,
            "/forget" => {
                match app.sessions().user(&user).get(&session).await {
                    Ok(session) => session.delete().await?,
                    Err(error) if error.code() == "session_not_found" => {}
                    Err(error) => return Err(error),
                }
                println!("All of it is forgotten.");
            }
            question => {
                let call = app.request().user(&user).session(&session);
                println!("{}", call.call(Support::ask, question.to_owned()).await?);
            }
        }
    }
    Ok(())
}
