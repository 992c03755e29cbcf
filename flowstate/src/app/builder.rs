//! Putting an app together.

use std::fmt;
use std::sync::Arc;

use super::{App, Flow, missing_need};
use crate::error::{Error, Result, code};
use crate::port::Store;
use crate::schema::check::flows_clash;
use crate::scope::{Entries, Home, Services};

/// An app in the making.
#[derive(Default)]
pub struct AppBuilder {
    services: Services,
    flows: Vec<&'static Entries>,
    store: Option<Arc<dyn Store>>,
}

impl fmt::Debug for AppBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppBuilder").finish_non_exhaustive()
    }
}

impl AppBuilder {
    /// A service for all blocks with `needs = [T]`; a second one of the same type takes the first one's place.
    #[must_use]
    pub fn provide<T: Send + Sync + 'static>(mut self, service: T) -> Self {
        self.services.add(service);
        self
    }

    /// A flow, whose actions can then be called.
    #[must_use]
    pub fn flow<F: Flow>(mut self, _: F) -> Self {
        self.flows.push(F::ENTRIES);
        self
    }

    /// Where the states of sessions, users and organisations are kept; without one, in the app's memory, as long as it lives.
    ///
    /// ```
    /// use flowstate::prelude::*;
    /// use flowstate::store::MemoryStore;
    ///
    /// # fn main() -> Result<()> {
    /// let app = App::builder().store(MemoryStore::new()).build()?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// The app.
    ///
    /// # Errors
    /// `need_not_provided` where a flow needs a service that is missing, with the block's path and the type;
    /// `app_invalid` where two flows have one kind, or keep two states under one key.
    pub fn build(self) -> Result<App> {
        for (i, Entries { flow, .. }) in self.flows.iter().enumerate() {
            if self.flows[..i].iter().any(|other| other.flow.kind == flow.kind) {
                let text = format!("the app has two flows of the kind `{}`", flow.kind);
                return Err(Error::with_code(code::APP_INVALID, text));
            }
            let clash = self.flows[..i].iter().find_map(|other| flows_clash(other.flow, flow));
            if let Some(text) = clash {
                return Err(Error::with_code(code::APP_INVALID, text));
            }
            for action in flow.actions {
                missing_need(action.block, &self.services)?;
            }
        }
        Ok(App(Arc::new(Home::new(self.services, self.flows, self.store))))
    }
}
