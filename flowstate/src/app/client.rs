//! What a flow shows of its states to clients.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::record::{self, no_session};
use super::{Flow, RequestBuilder};
use crate::error::Result;
use crate::schema::Reach;
use crate::scope::Later;
use crate::state::State;

/// What is shown of one state.
#[doc(hidden)]
pub struct View<S> {
    reach: Reach,
    show: fn(&S, &mut Shown),
}

/// What is shown so far.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Shown(Map<String, Value>, Option<serde_json::Error>);

impl Shown {
    #[doc(hidden)]
    pub fn put(&mut self, name: &str, value: &impl Serialize) {
        match serde_json::to_value(value) {
            Ok(value) => drop(self.0.insert(name.to_owned(), value)),
            Err(error) => self.1 = Some(error),
        }
    }
}

impl<S> View<S> {
    /// As the macro writes it.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(reach: Reach, show: fn(&S, &mut Shown)) -> Self {
        Self { reach, show }
    }
}

impl<S> fmt::Debug for View<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("View").field(&self.reach).finish()
    }
}

/// A function of a state, with the state's type known.
#[doc(hidden)]
pub const fn shows<S, T>(function: fn(&S) -> T) -> fn(&S) -> T {
    function
}

/// A view with its types erased.
#[doc(hidden)]
pub trait Shows: Send + Sync {
    fn reach(&self) -> Reach;
    fn look<'a>(&'a self, request: &'a RequestBuilder) -> Later<'a, Map<String, Value>>;
}

impl<S: State> Shows for View<S> {
    fn reach(&self) -> Reach {
        self.reach
    }

    fn look<'a>(&'a self, request: &'a RequestBuilder) -> Later<'a, Map<String, Value>> {
        Box::pin(async move {
            let mut shown = Shown::default();
            match request.id_of(self.reach) {
                Some(id) => (self.show)(
                    &request.app.state::<S>().at(self.reach, id).get().await?,
                    &mut shown,
                ),
                None => (self.show)(&S::default(), &mut shown),
            }
            shown.1.map_or(Ok(shown.0), |error| Err(error.into()))
        })
    }
}

impl RequestBuilder {
    fn id_of(&self, reach: Reach) -> Option<String> {
        match reach {
            Reach::User => self.who.user.clone(),
            Reach::Org => self.who.org.clone(),
            _ => self.who.kept_session().map(Into::into),
        }
    }

    /// What a flow shows of its states to clients, `#[flow(client(session = Mode { mode }))]`: `{ "session": { "mode": … } }`.
    /// What a flow does not name is shown to nobody.
    ///
    /// # Errors
    /// `session_not_found` where the session is another's; `store_failed`.
    ///
    /// ```
    /// use flowstate::prelude::*;
    /// use serde_json::json;
    ///
    /// #[state]
    /// pub struct Cart {
    ///     pub items: Vec<String>,
    ///     pub secret: u32,
    /// }
    ///
    /// #[block(handler, session = Cart)]
    /// async fn add(item: String, ctx: Ctx) -> Result<bool> {
    ///     ctx.session.items.push(item).await
    /// }
    ///
    /// flow! {
    ///     #[flow(client(session = Cart { items, count: |cart: &Cart| cart.items.len() }))]
    ///     pub struct Shop {
    ///         pub add: add,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let app = App::builder().flow(Shop).build()?;
    /// let ada = app.request().user("ada").session("s1");
    /// ada.clone().call(Shop::add, "tea".into()).await?;
    /// assert_eq!(ada.client(Shop).await?, json!({ "session": { "items": ["tea"], "count": 1 } }));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn client<F: Flow>(&self, _: F) -> Result<Value> {
        if !record::may_see(&self.app.0.keeper, &self.who).await? {
            return Err(no_session(&self.who));
        }
        let mut all = Map::new();
        for view in F::CLIENT {
            let shown = view.look(self).await?;
            let word = view.reach().word().to_owned();
            if let Value::Object(of) = all.entry(word).or_insert_with(|| Map::new().into()) {
                of.extend(shown);
            }
        }
        Ok(all.into())
    }
}
