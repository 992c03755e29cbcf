//! Putting an app together.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use super::{App, IntoFlow, Made, missing_need};
use crate::error::{Error, Result, code};
use crate::port::{MemoryToolCache, Model, Store, TokenCounter, ToolCache};
use crate::schema::check::flows_clash;
use crate::scope::{Home, Instance, Services, StoredOutputs, ToolOutputs};

/// An app in the making.
#[derive(Default)]
pub struct AppBuilder {
    services: Services,
    flows: Vec<Made>,
    store: Option<Arc<dyn Store>>,
    tool_cache: Option<Arc<dyn ToolCache>>,
    /// In memory.
    most: Option<usize>,
    environment: Option<Vec<(String, String)>>,
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

    /// A model, for every name that has none of its own.
    #[must_use]
    pub fn model(mut self, model: impl Model) -> Self {
        self.services.models.set_default(Arc::new(model));
        self
    }

    /// A model by its name, `"provider/model"` or `"intent/name"`; a second one of the same name takes the first one's place.
    #[must_use]
    pub fn model_as(mut self, name: impl Into<String>, model: impl Model) -> Self {
        self.services.models.add(name.into(), Arc::new(model));
        self
    }

    /// A name for models that have names: the first is asked, and where it fails the next.
    ///
    /// `.model_list("intent/chat", ["openai/gpt-5", "anthropic/claude-sonnet"])`
    #[must_use]
    pub fn model_list<N: Into<String>>(
        mut self,
        name: impl Into<String>,
        models: impl IntoIterator<Item = N>,
    ) -> Self {
        let models = models.into_iter().map(Into::into).collect();
        self.services.models.list(name.into(), models);
        self
    }

    /// The environment, in place of the process's: `build` reads there which models stand for an intent.
    ///
    /// `FLOWSTATE_INTENT_CHAT=openai/gpt-5,other/model` takes the place of what the app says of `intent/chat`;
    /// `FLOWSTATE_DEFAULT_MODEL` of its [`model`](Self::model). They name models of the app.
    ///
    /// ```
    /// use flowstate::model::{Reply, ScriptedModel};
    /// use flowstate::prelude::*;
    ///
    /// #[block(generator, model = "intent/chat")]
    /// async fn greeter(name: &str) -> Result<Prompt> {
    ///     Ok(Prompt::system("Greet the user.").user(name))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let model = |text| ScriptedModel::new([Reply::text(text)]);
    /// let app = App::builder()
    ///     .model_as("intent/chat", model("Hello."))
    ///     .model_as("local/llama", model("Howdy."))
    ///     .environment([("FLOWSTATE_INTENT_CHAT", "local/llama")])
    ///     .build()?;
    /// assert_eq!(app.run(greeter, "Ada".to_string()).await?, "Howdy.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn environment<K: Into<String>, V: Into<String>>(
        mut self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(key, value)| (key.into(), value.into()));
        self.environment = Some(variables.collect());
        self
    }

    /// How tokens are counted, for what is limited in tokens: the budgets of contracts' readers, the history of a prompt; by an [estimate](crate::model::EstimatedTokens) where nothing is
    /// said.
    #[must_use]
    pub fn token_counter(mut self, counter: impl TokenCounter) -> Self {
        self.services.tokens = Arc::new(counter);
        self
    }

    /// Where outputs of tools with `cacheable(…)` are kept. Where nothing is said, those of `scope = session` are in the
    /// [`store`](Self::store), beside the states of their session, the last 64 of each tool; those of a request, and all of an
    /// app without a store, are in memory, the last 5,000.
    #[must_use]
    pub fn tool_cache(mut self, cache: impl ToolCache) -> Self {
        self.tool_cache = Some(Arc::new(cache));
        self
    }

    /// A flow, whose actions can then be called; [`Flow::with`](super::Flow::with) configures it.
    #[must_use]
    pub fn flow(mut self, flow: impl IntoFlow) -> Self {
        self.flows.push(flow.made());
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

    /// How many sessions, users and organisations an app without a store keeps, 10,000 where it is not said: then those that
    /// were used longest ago are forgotten, as if they had been deleted, but none that a request has open.
    #[must_use]
    pub fn keep_in_memory(mut self, most: usize) -> Self {
        self.most = Some(most.max(1));
        self
    }

    /// The app.
    ///
    /// # Errors
    /// `need_not_provided` where a flow needs a service that is missing, with the block's path and the type;
    /// `unknown_model` where a flow asks a model that is missing, likewise, or the [environment](Self::environment) names one;
    /// `no_search` where a flow searches the web by a model that cannot;
    /// `app_invalid` where two flows have one kind, or one id, where a flow's configuration does not fit, where two flows keep
    /// two states under one key, where the default of a contract does not hold, where a list of models has none, or names
    /// one that is missing.
    pub fn build(mut self) -> Result<App> {
        let environment = self.environment.take().unwrap_or_else(|| {
            let text = |(key, value): (OsString, OsString)| {
                Some((key.into_string().ok()?, value.into_string().ok()?))
            };
            std::env::vars_os().filter_map(text).collect()
        });
        let models = &mut self.services.models;
        models
            .overridden(environment)
            .map_err(|text| Error::with_code(code::UNKNOWN_MODEL, text))?;
        if let Some((list, name)) = self.services.models.broken_list() {
            let text = match name {
                "" => format!("the list of models `{list}` is empty"),
                name => format!("the list of models `{list}` names `{name}`, and there is none"),
            };
            return Err(Error::with_code(code::APP_INVALID, text));
        }
        let mut flows: Vec<Arc<Instance>> = Vec::new();
        for Made(flow) in self.flows {
            let new = flow?;
            let flow = new.entries.flow;
            for known in &flows {
                let other = known.entries.flow;
                let same = std::ptr::eq(other, flow);
                let clash = match same {
                    _ if other.kind == flow.kind && !(same && flow.collection) => {
                        Some(format!("the app has two flows of the kind `{}`", flow.kind))
                    }
                    _ if known.id == new.id => {
                        Some(format!("the app has two flows with the id `{}`", new.id))
                    }
                    true => None,
                    false => flows_clash(other, flow),
                };
                if let Some(text) = clash {
                    return Err(Error::with_code(code::APP_INVALID, text));
                }
            }
            for lasting in flow.lasting {
                if let Some(contract) = lasting.state.contract
                    && let Err(why) = (contract.initial)()
                {
                    let name = lasting.state.name;
                    let text = format!("the default of the contract `{name}` does not hold: {why}");
                    return Err(Error::with_code(code::APP_INVALID, text));
                }
            }
            for block in flow.blocks() {
                missing_need(block, &self.services)?;
            }
            flows.push(Arc::new(new));
        }
        self.services.tools = match (self.tool_cache, &self.store) {
            (Some(own), _) => ToolOutputs::new(own, None),
            (None, Some(store)) => {
                let stored = StoredOutputs::new(store.clone());
                ToolOutputs::new(Arc::new(MemoryToolCache::default()), Some(stored))
            }
            (None, None) => ToolOutputs::default(),
        };
        Ok(App(Arc::new(Home::new(self.services, flows, self.store, self.most))))
    }
}
