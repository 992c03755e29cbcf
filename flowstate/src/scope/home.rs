//! What the requests of one app have in common.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use super::alive::Alive;
use super::cached::ToolOutputs;
use super::entry::Instance;
use super::keeper::{Keeper, MOST};
use super::lane::{Lane, LaneKey};
use super::live::LiveRequests;
use super::request::Any1;
use crate::port::{EstimatedTokens, Models, Store, TokenCounter};
use crate::sync::Shared;

/// What an app provides: services, by type, and models, by name.
#[derive(Clone)]
pub(crate) struct Services {
    all: HashMap<TypeId, Any1>,
    pub(crate) models: Models,
    pub(crate) tokens: Arc<dyn TokenCounter>,
    pub(crate) tools: ToolOutputs,
}

impl Default for Services {
    fn default() -> Self {
        Self {
            all: HashMap::new(),
            models: Models::default(),
            tokens: Arc::new(EstimatedTokens),
            tools: ToolOutputs::default(),
        }
    }
}

impl Services {
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, service: T) {
        self.all.insert(TypeId::of::<T>(), Arc::new(service));
    }

    pub(super) fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.all.get(&TypeId::of::<T>())?.downcast_ref()
    }

    pub(crate) fn has(&self, id: TypeId) -> bool {
        self.all.contains_key(&id)
    }
}

/// What the requests of one app have in common.
#[derive(Default)]
pub(crate) struct Home {
    pub(crate) services: Services,
    pub(crate) keeper: Keeper,
    pub(crate) flows: Vec<Arc<Instance>>,
    /// What runs on tasks of its own: started requests and side chains.
    pub(crate) alive: Arc<Alive>,
    /// The requests of named sessions.
    pub(crate) live: LiveRequests,
    /// The lines of requests that take turns.
    pub(super) lanes: Shared<LaneKey, Lane>,
}

impl Home {
    pub(crate) fn new(
        services: Services,
        flows: Vec<Arc<Instance>>,
        store: Option<Arc<dyn Store>>,
        most: Option<usize>,
    ) -> Self {
        let keeper = Keeper::new(store, most.unwrap_or(MOST));
        Self { services, keeper, flows, ..Self::default() }
    }
}
