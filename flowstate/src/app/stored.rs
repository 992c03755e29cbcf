//! What an app keeps, as one looks at it from outside of a request.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::Value;

use super::App;
use crate::error::{Result, ValidationError};
use crate::port::Key;
use crate::schema::Reach;
use crate::scope::{Home, Who};
use crate::state::{Cell, Kept, Slot, State, from_json};
use crate::sync::Held;

impl App {
    /// What is kept of a state, whoever it belongs to: to look at it, and to mend what cannot be read.
    ///
    /// ```
    /// use flowstate::prelude::*;
    /// use flowstate::store::MemoryStore;
    /// use serde_json::json;
    ///
    /// #[state]
    /// pub struct Visits { pub count: u32 }
    ///
    /// #[block(handler, session = Visits)]
    /// async fn visit(_: (), ctx: Ctx) -> Result<bool> {
    ///     ctx.session.count.inc(1).await
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let app = App::builder().store(MemoryStore::new()).build()?;
    /// let visits = app.state::<Visits>().session("s1");
    /// visits.write_raw(json!({ "count": "many" })).await?;
    /// assert_eq!(visits.get().await?.count, 0);
    ///
    /// app.request().session("s1").run(visit, ()).await?;
    /// assert_eq!(visits.get().await?.count, 1);
    /// assert_eq!(visits.quarantined().await?, [json!({ "count": "many" })]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<S: State>(&self) -> AppState<S> {
        AppState { home: self.0.clone(), tenant: None, of: PhantomData }
    }
}

/// A state, over all that an app keeps of it.
#[must_use = "it is looked at by `session`, `user` or `org`"]
pub struct AppState<S> {
    home: Arc<Home>,
    tenant: Option<String>,
    of: PhantomData<fn() -> S>,
}

impl<S: State> AppState<S> {
    /// Of this tenant's sessions.
    pub fn tenant(self, id: impl Into<String>) -> Self {
        Self { tenant: Some(id.into()), ..self }
    }

    /// Of this session.
    pub fn session(&self, id: impl Into<String>) -> KeptState<S> {
        let who = Who { session: Some(id.into()), tenant: self.tenant.clone(), ..Who::default() };
        self.at(Reach::Session, who.kept_session().unwrap_or_default())
    }

    /// Of this user.
    pub fn user(&self, id: impl Into<String>) -> KeptState<S> {
        self.at(Reach::User, id)
    }

    /// Of this organisation.
    pub fn org(&self, id: impl Into<String>) -> KeptState<S> {
        self.at(Reach::Org, id)
    }

    pub(super) fn at(&self, reach: Reach, id: impl Into<String>) -> KeptState<S> {
        let (keeper, id) = (&self.home.keeper, id.into());
        KeptState(match keeper.slot::<S>(reach, &id) {
            Some(slot) => Place::Store(slot),
            None => Place::Memory(keeper.home(reach, &id)),
        })
    }
}

/// A state of one session, user or organisation, as an app keeps it.
#[must_use = "it is only a place"]
pub struct KeptState<S>(Place<S>);

enum Place<S> {
    Memory(Arc<Cell<S>>),
    Store(Arc<Held<Key, Slot>>),
}

impl<S: State> KeptState<S> {
    /// The state as it is now; its default where nothing is kept, or nothing that can be read.
    ///
    /// # Errors
    /// `store_failed`; `state_newer` where a newer program has stored a contract.
    pub async fn get(&self) -> Result<S> {
        match &self.0 {
            Place::Memory(cell) => Ok(cell.peek(S::clone)),
            Place::Store(slot) => Ok(S::clone(&Kept::load(slot.clone()).await?.seen())),
        }
    }

    /// The JSON that is kept, also where it cannot be read; `None` where nothing is.
    ///
    /// # Errors
    /// `store_failed`; without a store, `validation_error` where the state is no JSON.
    pub async fn raw(&self) -> Result<Option<Value>> {
        match &self.0 {
            Place::Memory(cell) => {
                let json = cell.peek(|state| serde_json::to_value(state));
                Ok(Some(json.map_err(|error| wrong::<S>(error.to_string()))?))
            }
            Place::Store(slot) => Ok(slot.load().await?.map(|record| record.value.clone())),
        }
    }

    /// Puts JSON in the place of what is kept, unchecked; requests that run see it at their next write.
    ///
    /// # Errors
    /// `store_failed`; without a store, `validation_error` where it is not the state.
    pub async fn write_raw(&self, json: Value) -> Result<()> {
        match &self.0 {
            Place::Memory(cell) => cell.replace(from_json(&json).map_err(wrong::<S>)?),
            Place::Store(slot) => slot.write_raw(json).await,
        }
    }

    /// What could not be read and was put aside when the state was written, oldest first.
    ///
    /// # Errors
    /// `store_failed`.
    pub async fn quarantined(&self) -> Result<Vec<Value>> {
        match &self.0 {
            Place::Memory(_) => Ok(Vec::new()),
            Place::Store(slot) => slot.quarantined().await,
        }
    }
}

fn wrong<S: State>(error: String) -> ValidationError {
    ValidationError::new(format!("the state `{}`", S::DEF.name), String::new(), error)
}

impl<S: State> fmt::Debug for AppState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AppState({})", S::DEF.name)
    }
}

impl<S: State> fmt::Debug for KeptState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Memory(_) => write!(f, "KeptState({})", S::DEF.name),
            Place::Store(slot) => write!(f, "KeptState({})", ***slot),
        }
    }
}
