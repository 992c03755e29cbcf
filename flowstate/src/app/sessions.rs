//! Sessions, as one looks at them from outside of a request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::App;
use super::record::{
    self, RequestRecord, SESSION, SessionRecord, no_session, of_journal, of_request, read,
};
use crate::error::{Result, code};
use crate::item::{Item, Outcome};
use crate::schema::Reach;
use crate::scope::{Home, LiveRequest, Request, Who};

impl App {
    /// The sessions that the app knows: those that a request has named. To list, read and delete them.
    ///
    /// A session is its first request's user's, organisation's and tenant's. To all others it does not exist; one that was
    /// begun without a user is open to whoever knows its id.
    ///
    /// ```
    /// use flowstate::prelude::*;
    ///
    /// #[block(handler)]
    /// async fn answer(question: String, ctx: Ctx) -> Result<String> {
    ///     ctx.message("It depends.");
    ///     Ok(question)
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
    /// let app = App::builder().flow(Chat).build()?;
    /// app.request().user("ada").session("s1").call(Chat::ask, "Why?".into()).await?;
    ///
    /// let ada = app.sessions().user("ada");
    /// assert_eq!(ada.list().await?[0].id, "s1");
    /// let history = ada.get("s1").await?.history(10).await?;
    /// assert_eq!(history.iter().map(|said| said.text()).collect::<Vec<_>>(), ["Why?", "It depends."]);
    ///
    /// let error = app.sessions().user("bob").get("s1").await.unwrap_err();
    /// assert_eq!(error.code(), "session_not_found");
    /// # Ok(())
    /// # }
    /// ```
    pub fn sessions(&self) -> Sessions {
        Sessions { home: self.0.clone(), who: Who::default() }
    }
}

/// The sessions of an app, as one user sees them.
#[derive(Clone)]
#[must_use = "it only says whose"]
pub struct Sessions {
    home: Arc<Home>,
    who: Who,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions").field("who", &self.who).finish()
    }
}

/// What is known of a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its id.
    pub id: String,
    /// Its user.
    pub user: Option<String>,
    /// Its organisation.
    pub org: Option<String>,
    /// When its first request came.
    pub created: SystemTime,
    /// What it is called.
    pub title: Option<String>,
    /// Whatever was put there.
    pub metadata: Map<String, Value>,
}

/// A request of a session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RequestInfo {
    /// Its id.
    pub id: String,
    /// The id of its flow.
    pub flow: String,
    /// Its action.
    pub action: String,
    /// When it began.
    pub started: SystemTime,
    /// How it ended; `None` while it runs in this process.
    pub outcome: Option<Outcome>,
}

/// How many lines of a journal are kept, and written, together.
const PAGE: usize = 64;

/// A line of a session's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JournalEntry {
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// What.
    pub text: String,
}

fn time(millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis)
}

impl From<SessionRecord> for SessionInfo {
    fn from(record: SessionRecord) -> Self {
        let SessionRecord { id, user, org, created, title, metadata, .. } = record;
        Self { id, user, org, created: time(created), title, metadata }
    }
}

impl From<RequestRecord> for RequestInfo {
    fn from(record: RequestRecord) -> Self {
        let RequestRecord { id, flow, action, started, outcome, .. } = record;
        Self { id, flow, action, started: time(started), outcome: Some(outcome) }
    }
}

impl From<LiveRequest> for RequestInfo {
    fn from(LiveRequest { id, flow, action, started, .. }: LiveRequest) -> Self {
        Self { id, flow, action, started: time(started), outcome: None }
    }
}

impl Sessions {
    /// Of this user.
    pub fn user(mut self, id: impl Into<String>) -> Self {
        self.who.user = Some(id.into());
        self
    }

    /// Of this organisation.
    pub fn org(mut self, id: impl Into<String>) -> Self {
        self.who.org = Some(id.into());
        self
    }

    /// Of this tenant.
    pub fn tenant(mut self, id: impl Into<String>) -> Self {
        self.who.tenant = Some(id.into());
        self
    }

    /// The user's sessions, oldest first; without a user none, since those of nobody are on no list.
    ///
    /// # Errors
    /// `store_failed`.
    pub async fn list(&self) -> Result<Vec<SessionInfo>> {
        let Some(user) = &self.who.user else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for id in record::sessions_of(&self.home.keeper, &self.who, user).await? {
            // (one may have been deleted meanwhile)
            if let Some((_, record)) = self.find(id).await? {
                all.push(record.into());
            }
        }
        Ok(all)
    }

    /// The session of this id.
    ///
    /// # Errors
    /// `session_not_found` where there is none, or it is another's; `store_failed`.
    pub async fn get(&self, id: impl Into<String>) -> Result<Session> {
        let id = id.into();
        match self.find(id.clone()).await? {
            Some((session, _)) => Ok(session),
            None => Err(no_session(&Who { session: Some(id), ..self.who.clone() })),
        }
    }

    async fn find(&self, id: String) -> Result<Option<(Session, SessionRecord)>> {
        let session =
            Session { home: self.home.clone(), who: Who { session: Some(id), ..self.who.clone() } };
        let record = session.record().await;
        match record {
            Ok(record) => Ok(Some((session, record))),
            Err(error) if error.code() == code::SESSION_NOT_FOUND => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// One session. What it is asked for is looked up then; `session_not_found` where it was deleted meanwhile.
#[derive(Clone)]
pub struct Session {
    home: Arc<Home>,
    who: Who,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("who", &self.who).finish()
    }
}

impl Session {
    /// That of a request, where it names one.
    pub(super) fn of(request: &Request) -> Option<Self> {
        request.who().session.as_ref()?;
        Some(Self { home: request.home_of().clone(), who: request.who().clone() })
    }

    fn kept(&self) -> std::borrow::Cow<'_, str> {
        self.who.kept_session().unwrap_or_default()
    }

    async fn record(&self) -> Result<SessionRecord> {
        let slot = self.home.keeper.record(Reach::Session, &self.kept(), SESSION);
        let found = slot.load().await?.ok_or_else(|| no_session(&self.who))?;
        let record: SessionRecord = read(&found.value)?;
        if record.is_of(&self.who) { Ok(record) } else { Err(no_session(&self.who)) }
    }

    /// What is known of it.
    ///
    /// # Errors
    /// `session_not_found`; `store_failed`.
    pub async fn info(&self) -> Result<SessionInfo> {
        self.record().await.map(Into::into)
    }

    /// Its requests of actions, oldest first: those that have ended, then those that run in this process.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn requests(&self) -> Result<Vec<RequestInfo>> {
        // looked at first: one that ends meanwhile is among the ended then
        let live = self.home.live.of(&self.kept());
        let mut all: Vec<_> = self.ended(|_| true).await?.into_iter().map(Into::into).collect();
        for one in live.into_iter().map(RequestInfo::from) {
            if !all.iter().any(|known: &RequestInfo| known.id == one.id) {
                all.push(one);
            }
        }
        Ok(all)
    }

    /// One of its requests: whether it runs, and how it ended; also one that is not among [`requests`](Self::requests), since
    /// the program ended, or the store failed, while that was noted.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn request(&self, id: &str) -> Result<Option<RequestInfo>> {
        let live = self.home.live.of(&self.kept()).into_iter().find(|one| one.id == id);
        self.record().await?;
        let slot = self.home.keeper.record(Reach::Session, &self.kept(), of_request(id));
        // (null, where the session that it was of is gone)
        match slot.load().await?.filter(|found| !found.value.is_null()) {
            Some(found) => Ok(Some(read::<RequestRecord>(&found.value)?.into())),
            None => Ok(live.map(Into::into)),
        }
    }

    /// The requests that have ended, oldest first, from the newest one backwards as long as they are wanted.
    pub(super) async fn ended(
        &self,
        mut wanted: impl FnMut(&RequestRecord) -> bool,
    ) -> Result<Vec<RequestRecord>> {
        let (mut next, mut all) = (self.record().await?.last, Vec::new());
        while let Some(id) = next.take() {
            let slot = self.home.keeper.record(Reach::Session, &self.kept(), of_request(&id));
            let Some(found) = slot.load().await? else { break };
            let record: RequestRecord = read(&found.value)?;
            next = record.before.clone();
            if !wanted(&record) {
                break;
            }
            all.push(record);
        }
        all.reverse();
        Ok(all)
    }

    /// All items of its requests that have ended, in order. Of those with one key only the last is there.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn items(&self) -> Result<Vec<Arc<Item>>> {
        let all = self.ended(|_| true).await?.into_iter().flat_map(|record| record.items);
        let (mut items, mut keys) = (Vec::<Arc<Item>>::new(), HashMap::new());
        for item in all {
            match item.key.as_ref().and_then(|key| keys.get(key)) {
                Some(at) => {
                    let at: usize = *at;
                    items[at] = item;
                }
                None => {
                    if let Some(key) = &item.key {
                        keys.insert(key.clone(), items.len());
                    }
                    items.push(item);
                }
            }
        }
        Ok(items)
    }

    /// Calls it something.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn set_title(&self, title: impl Into<String>) -> Result<()> {
        let title = title.into();
        self.edit(|record| record.title = Some(title.clone())).await
    }

    /// Puts these values to its metadata, beside those that are there.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn set_metadata(&self, values: Map<String, Value>) -> Result<()> {
        self.edit(|record| record.metadata.extend(values.clone())).await
    }

    async fn edit(&self, edit: impl Fn(&mut SessionRecord)) -> Result<()> {
        let slot = self.home.keeper.record(Reach::Session, &self.kept(), SESSION);
        let mut found = slot.load().await?;
        // (one that was deleted meanwhile stays so)
        while let Some(seen) = found {
            let mut record: SessionRecord = read(&seen.value)?;
            if !record.is_of(&self.who) {
                break;
            }
            edit(&mut record);
            match slot.swap(Some(seen.version), serde_json::to_value(record)?).await? {
                Ok(_) => return Ok(()),
                Err(faster) => found = faster,
            }
        }
        Err(no_session(&self.who))
    }

    /// Adds a line to its journal.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn add_to_journal(&self, text: impl Into<String>) -> Result<()> {
        let first = self.record().await?.journal;
        let new = JournalEntry { time: crate::scope::now(), text: text.into() };
        let mut page = first;
        while !self.add_to_page(page, &new).await? {
            page += 1;
        }
        if page > first {
            self.edit(|record| record.journal = record.journal.max(page)).await?;
        }
        Ok(())
    }

    /// Adds a line to a page of the journal, unless it is full.
    async fn add_to_page(&self, page: u32, new: &JournalEntry) -> Result<bool> {
        let slot = self.home.keeper.record(Reach::Session, &self.kept(), of_journal(page));
        let mut found = slot.load().await?;
        loop {
            let mut lines: Vec<JournalEntry> =
                found.as_ref().map_or_else(|| Ok(Vec::new()), |found| read(&found.value))?;
            if lines.len() >= PAGE {
                return Ok(false);
            }
            lines.push(new.clone());
            let seen = found.as_ref().map(|found| found.version);
            match slot.swap(seen, serde_json::to_value(lines)?).await? {
                Ok(_) => return Ok(true),
                Err(newer) => found = newer,
            }
        }
    }

    /// Its journal, oldest line first.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn journal(&self) -> Result<Vec<JournalEntry>> {
        self.record().await?;
        let mut all = Vec::new();
        for page in 0.. {
            let slot = self.home.keeper.record(Reach::Session, &self.kept(), of_journal(page));
            let Some(found) = slot.load().await? else { break };
            let lines: Vec<JournalEntry> = read(&found.value)?;
            let last = lines.len() < PAGE;
            all.extend(lines);
            if last {
                break;
            }
        }
        Ok(all)
    }

    /// Forgets it, also where the store can read no more of it: its states, its items, what tools with
    /// `cacheable(scope = session)` gave and what is known of it. What its requests that still run write to its states is kept
    /// anew, and without a store lost; how they end is not noted.
    ///
    /// # Errors
    /// As [`info`](Self::info).
    pub async fn delete(self) -> Result<()> {
        let record = match self.record().await {
            Err(error) if error.code() != code::SESSION_NOT_FOUND => {
                // (it could be read when it was looked up)
                let Who { session, user, tenant, .. } = self.who.clone();
                SessionRecord {
                    id: session.unwrap_or_default(),
                    tenant,
                    user,
                    ..Default::default()
                }
            }
            record => record?,
        };
        // first, since a request that begins it anew puts it on the list again
        record::unlist(&self.home.keeper, &record).await?;
        self.home.services.tools.forget_session(&self.kept()).await?;
        self.home.keeper.remove(&self.kept()).await
    }
}
