//! What an app notes of its sessions: whose they are, and what was said in them.
//!
//! Each request that has ended has a record, with the id of the one before it; the session's own has the id of the last. A store
//! writes one record at a time, so the request's is written first: the session never names one that is not there. Where the
//! program ends between the two writes, or the second fails, the request's record stays as it is. It is on no list and its items
//! are in no history; only who asks for it by its id finds how it ended. The next request is noted as if it had not been, and
//! all of it goes with the session.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result, code};
use crate::item::{Item, Outcome};
use crate::schema::Reach;
use crate::scope::{Keeper, Request, Who, kept_session, now};

/// What the records are kept under, beside the states of the session or user.
pub(super) use crate::scope::SESSION_RECORD as SESSION;
const SESSIONS: &str = "!sessions";

pub(super) fn of_request(id: &str) -> String {
    format!("!request/{id}")
}

/// A page of a session's journal.
pub(super) fn of_journal(page: u32) -> Cow<'static, str> {
    if page == 0 { "!journal".into() } else { format!("!journal/{page}").into() }
}

/// A session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    pub(super) id: String,
    #[serde(default)]
    pub(super) tenant: Option<String>,
    #[serde(default)]
    pub(super) user: Option<String>,
    #[serde(default)]
    pub(super) org: Option<String>,
    pub(super) created: u64,
    /// The request that ended last.
    #[serde(default)]
    pub(super) last: Option<String>,
    /// The last page of its journal.
    #[serde(default)]
    pub(super) journal: u32,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) metadata: Map<String, Value>,
}

/// A request that has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RequestRecord {
    pub(super) id: String,
    pub(super) flow: String,
    pub(super) action: String,
    pub(super) started: u64,
    pub(super) ended: u64,
    pub(super) outcome: Outcome,
    /// The one that ended before it.
    pub(super) before: Option<String>,
    pub(super) items: Vec<Arc<Item>>,
}

/// The sessions of a user, newest last.
#[derive(Default, Serialize, Deserialize)]
struct Index {
    sessions: Vec<(Option<String>, String)>,
}

pub(super) fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T> {
    Ok(T::deserialize(value)?)
}

fn written(record: &impl Serialize) -> Result<Value> {
    Ok(serde_json::to_value(record)?)
}

/// The same for what is another's and for what is not there.
pub(super) fn no_session(who: &Who) -> Error {
    let id = who.session.as_deref().unwrap_or_default();
    Error::with_code(code::SESSION_NOT_FOUND, format!("there is no session `{id}`"))
}

impl SessionRecord {
    /// Whether this is whose session it is; one that was begun without a user is everybody's.
    pub(super) fn is_of(&self, who: &Who) -> bool {
        let fits = |owner: &Option<String>, caller| owner.is_none() || owner == caller;
        fits(&self.user, &who.user) && fits(&self.org, &who.org)
    }
}

/// Refuses another user's session, and notes one that is new.
pub(super) async fn admit(request: &Request) -> Result<()> {
    let who = request.who();
    let Some(kept) = who.kept_session() else { return Ok(()) };
    let slot = request.keeper().record(Reach::Session, &kept, SESSION);
    request.remember();
    let mut found = slot.load().await?;
    if found.is_none() {
        let new = SessionRecord {
            id: who.session.clone().unwrap_or_default(),
            tenant: who.tenant.clone(),
            user: who.user.clone(),
            org: who.org.clone(),
            created: now(),
            ..SessionRecord::default()
        };
        // listed first: one that is on no list would never come on one, one that is not there is not shown
        list(request.keeper(), &new).await?;
        match slot.swap(None, written(&new)?).await? {
            Ok(_) => return Ok(()),
            Err(faster) => found = faster,
        }
    }
    match found {
        Some(found) if !read::<SessionRecord>(&found.value)?.is_of(who) => Err(no_session(who)),
        _ => Ok(()),
    }
}

/// Whether a session is the caller's, or nobody's so far.
pub(super) async fn may_see(keeper: &Keeper, who: &Who) -> Result<bool> {
    let Some(kept) = who.kept_session() else { return Ok(true) };
    let found = keeper.record(Reach::Session, &kept, SESSION).load().await?;
    found.map_or(Ok(true), |found| Ok(read::<SessionRecord>(&found.value)?.is_of(who)))
}

/// Puts a new session among those of its user.
async fn list(keeper: &Keeper, session: &SessionRecord) -> Result<()> {
    let Some(user) = &session.user else { return Ok(()) };
    let this = (session.tenant.clone(), session.id.clone());
    edit_index(keeper, user, |all| {
        // (in memory some were forgotten meanwhile)
        all.retain(|(tenant, id)| keeper.knows(&kept_session(tenant.as_deref(), id)));
        if !all.contains(&this) {
            all.push(this.clone());
        }
    })
    .await
}

async fn edit_index(
    keeper: &Keeper,
    user: &str,
    edit: impl Fn(&mut Vec<(Option<String>, String)>),
) -> Result<()> {
    let slot = keeper.record(Reach::User, user, SESSIONS);
    let mut found = slot.load().await?;
    loop {
        let mut index = match &found {
            None => Index::default(),
            Some(found) => match read(&found.value) {
                Ok(index) => index,
                Err(_) => {
                    slot.put_aside(&found.value).await?;
                    Index::default()
                }
            },
        };
        edit(&mut index.sessions);
        match slot.swap(found.as_ref().map(|found| found.version), written(&index)?).await? {
            Ok(_) => return Ok(()),
            Err(newer) => found = newer,
        }
    }
}

/// The ids of a user's sessions in a tenant, oldest first.
pub(super) async fn sessions_of(keeper: &Keeper, who: &Who, user: &str) -> Result<Vec<String>> {
    let found = keeper.record(Reach::User, user, SESSIONS).load().await?;
    let Some(found) = found else { return Ok(Vec::new()) };
    let all = read::<Index>(&found.value)?.sessions.into_iter();
    Ok(all.filter(|(tenant, _)| *tenant == who.tenant).map(|(_, id)| id).collect())
}

/// Takes a session from among those of its user.
pub(super) async fn unlist(keeper: &Keeper, session: &SessionRecord) -> Result<()> {
    let Some(user) = &session.user else { return Ok(()) };
    edit_index(keeper, user, |all| {
        all.retain(|(tenant, id)| *tenant != session.tenant || *id != session.id);
    })
    .await
}

/// Notes how a request of an action ended, and what was said in it, where its session is kept.
pub(super) async fn note(request: &Request, started: u64, outcome: &Outcome) -> Result<()> {
    let (Some(kept), Some(flow), Some(action)) =
        (request.who().kept_session(), request.flow(), request.action())
    else {
        return Ok(());
    };
    let id = request.id().to_string();
    let session = request.keeper().record(Reach::Session, &kept, SESSION);
    let own = request.keeper().record(Reach::Session, &kept, of_request(&id));
    let mut record = RequestRecord {
        id: id.clone(),
        flow: flow.to_owned(),
        action: action.to_owned(),
        started,
        ended: now(),
        outcome: outcome.clone(),
        before: None,
        items: request.lasting_items(),
    };
    // what is kept of it so far: nobody else writes it
    let mut version = None;
    let mut found = session.load().await?;
    while let Some(seen) = found {
        let mut now: SessionRecord = read(&seen.value)?;
        if !now.is_of(request.who()) {
            break;
        }
        record.before = now.last.replace(id.clone());
        if let Ok(new) = own.swap(version, written(&record)?).await? {
            version = Some(new.version);
        }
        match session.swap(Some(seen.version), written(&now)?).await? {
            Ok(_) => return Ok(()),
            Err(faster) => found = faster,
        }
    }
    // a session that was removed meanwhile stays so, and keeps nothing of what was said
    if version.is_some() {
        let _ = own.swap(version, Value::Null).await?;
    }
    Ok(())
}
