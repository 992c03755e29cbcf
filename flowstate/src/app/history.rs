//! What was said in a session, as messages for a model.

use std::sync::Arc;

use super::Session;
use super::record::RequestRecord;
use crate::error::{Result, code};
use crate::generate::last_turns;
use crate::item::{Item, ItemKind};
use crate::port::Message;
use crate::scope::{Base, Request};
use crate::sync::Mutex;

impl Session {
    /// What was said in the last `turns` requests, as messages for a model, oldest first.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn history(&self, turns: usize) -> Result<Vec<Message>> {
        let mut left = turns;
        let wanted = |record: &RequestRecord| {
            let said = !said(&record.items).is_empty();
            let wanted = left > 0;
            left -= usize::from(wanted && said);
            wanted
        };
        self.said(wanted).await
    }

    /// What was said in the last requests, as many as take no more than `tokens` together, counted by `count`; at least the
    /// last one.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn history_within(
        &self,
        tokens: usize,
        count: impl Fn(&str) -> usize,
    ) -> Result<Vec<Message>> {
        let (mut used, mut any) = (0, false);
        let wanted = |record: &RequestRecord| {
            let said = said(&record.items);
            used += said.iter().map(|message| count(message.text())).sum::<usize>();
            let wanted = used <= tokens || !any;
            any |= !said.is_empty();
            wanted
        };
        self.said(wanted).await
    }

    async fn said(&self, wanted: impl FnMut(&RequestRecord) -> bool) -> Result<Vec<Message>> {
        Ok(self.ended(wanted).await?.iter().flat_map(|record| said(&record.items)).collect())
    }
}

/// What was said, for a model.
fn said(items: &[Arc<Item>]) -> Vec<Message> {
    let messages = items.iter().filter(|item| item.visibility.history);
    let messages = messages.filter_map(|item| match item.kind() {
        ItemKind::Message(message) if message.role == "user" => Some(Message::user(&message.text)),
        ItemKind::Message(message) => Some(Message::assistant(&message.text)),
        _ => None,
    });
    messages.collect()
}

/// What a test says was said before.
#[derive(Default)]
pub(crate) struct SaidBefore(pub(crate) Mutex<Vec<Message>>);

impl Base<'_> {
    /// What was said in the session so far, as messages for a model, oldest first: in the last `turns` requests of actions
    /// before this one, and in this one. It is read from the store when this is called. A request that names no session has
    /// no history.
    ///
    /// # Errors
    /// `store_failed`.
    ///
    /// ```
    /// use flowstate::model::{Reply, ScriptedModel};
    /// use flowstate::prelude::*;
    ///
    /// #[block(generator, model = "intent/chat", visibility(client, history))]
    /// async fn answer(question: &str, ctx: Ctx) -> Result<Prompt> {
    ///     Ok(Prompt::system("Answer.").history(ctx.history(8).await?).user(question))
    /// }
    ///
    /// flow! {
    ///     pub struct Chat {
    ///         #[action(user_message = |question: &String| question.clone())]
    ///         pub ask: answer,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let model = ScriptedModel::new([Reply::text("A lamp."), Reply::text("Blue.")]);
    /// let app = App::builder().flow(Chat).model(model.clone()).build()?;
    /// for question in ["What is it?", "Which colour?"] {
    ///     app.request().session("s1").call(Chat::ask, question.into()).await?;
    /// }
    /// let told: Vec<_> = model.requests()[1].messages().iter().map(|m| m.text().to_owned()).collect();
    /// assert_eq!(told, ["Answer.", "What is it?", "A lamp.", "Which colour?"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn history(&self, turns: usize) -> impl Future<Output = Result<Vec<Message>>> + Send {
        // boxed, so that the block's own future is no larger for it
        Box::pin(so_far(self.current_request(), Some(turns), None))
    }

    /// The same, as many of the requests before this one as have no more than `tokens` together with this one, each whole and
    /// at least the last; the app's [`TokenCounter`](crate::model::TokenCounter) counts.
    ///
    /// # Errors
    /// `store_failed`.
    pub fn history_within(
        &self,
        tokens: usize,
    ) -> impl Future<Output = Result<Vec<Message>>> + Send {
        Box::pin(so_far(self.current_request(), None, Some(tokens)))
    }
}

async fn so_far(
    request: &Request,
    turns: Option<usize>,
    tokens: Option<usize>,
) -> Result<Vec<Message>> {
    let counter = &*request.services().tokens;
    let now = said(&request.lasting_items());
    let used: usize = now.iter().map(|message| counter.count(message.text())).sum();
    let tokens = tokens.map(|tokens| tokens.saturating_sub(used));
    let mut all = match Session::of(request) {
        None => last_turns(&request.one::<SaidBefore>().0.lock(), turns, tokens, counter).to_vec(),
        Some(session) => {
            let before = match tokens {
                Some(tokens) => session.history_within(tokens, |text| counter.count(text)).await,
                None => session.history(turns.unwrap_or_default()).await,
            };
            match before {
                // it was deleted while the request runs
                Err(error) if error.code() == code::SESSION_NOT_FOUND => Vec::new(),
                before => before?,
            }
        }
    };
    all.extend(now);
    Ok(all)
}
