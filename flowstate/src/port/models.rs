//! The models of an app, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Model;

/// The models of an app, by name.
#[derive(Default, Clone)]
pub(crate) struct Models {
    default: Option<Arc<dyn Model>>,
    named: BTreeMap<String, Arc<dyn Model>>,
    /// Names that stand for others, in the order in which those are tried.
    lists: BTreeMap<String, Vec<String>>,
}

impl Models {
    pub(crate) fn set_default(&mut self, model: Arc<dyn Model>) {
        self.default = Some(model);
    }

    pub(crate) fn add(&mut self, name: String, model: Arc<dyn Model>) {
        self.named.insert(name, model);
    }

    pub(crate) fn list(&mut self, name: String, models: Vec<String>) {
        self.lists.insert(name, models);
    }

    /// The first list with a name in it that no model has; a list names models, and no other list.
    pub(crate) fn broken_list(&self) -> Option<(&str, &str)> {
        let unknown = |name: &&String| self.default.is_none() && !self.named.contains_key(*name);
        self.lists.iter().find_map(|(list, names)| {
            let wrong = match names.is_empty() {
                true => Some(""),
                false => names.iter().find(unknown).map(String::as_str),
            };
            wrong.map(|wrong| (list.as_str(), wrong))
        })
    }

    /// The models behind a name, in the order in which they are tried; none where it is not known.
    pub(crate) fn find(&self, name: &str) -> Vec<&Arc<dyn Model>> {
        let one = |name: &str| self.named.get(name).or(self.default.as_ref());
        match self.lists.get(name) {
            Some(names) => names.iter().filter_map(|name| one(name)).collect(),
            None => one(name).into_iter().collect(),
        }
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().chain(self.lists.keys()).map(String::as_str)
    }
}
