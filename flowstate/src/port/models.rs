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
    /// What the environment says in their place, by the end of its variable.
    said: BTreeMap<String, Vec<String>>,
}

/// `FLOWSTATE_INTENT_CHAT` is for `intent/chat`.
const INTENT: &str = "FLOWSTATE_INTENT_";
const DEFAULT: &str = "FLOWSTATE_DEFAULT_MODEL";

/// The end of the variable of an intent.
fn variable(name: &str) -> Option<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    Some(name.strip_prefix("intent/")?.chars().map(plain).collect())
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

    /// Lets the environment have the last word; the error says which variable is wrong, and why.
    pub(crate) fn overridden(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), String> {
        for (key, value) in environment {
            let names: Vec<_> =
                value.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
            let intent = key.strip_prefix(INTENT);
            if names.is_empty() || (intent.is_none() && key != DEFAULT) {
                continue;
            }
            if let Some(wrong) = names.iter().find(|name| self.model(name).is_none()) {
                let known: Vec<_> = self.known().map(|name| format!("`{name}`")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(format!("`{key}` names the model `{wrong}`, and there is {known}"));
            }
            let Some(intent) = intent else {
                let [one] = names[..] else { return Err(format!("`{key}` names one model")) };
                self.default = self.model(one).cloned();
                continue;
            };
            let mut meant =
                self.names().filter(|name| variable(name).is_some_and(|end| end == intent));
            if let (Some(one), Some(other)) = (meant.next(), meant.next()) {
                return Err(format!("`{key}` stands for `{one}` and for `{other}`: rename one"));
            }
            drop(meant);
            let names = names.into_iter().map(str::to_owned).collect();
            self.said.insert(intent.to_owned(), names);
        }
        Ok(())
    }

    /// A model by its very name.
    fn model(&self, name: &str) -> Option<&Arc<dyn Model>> {
        let default = || self.default.as_ref().filter(|model| model.name() == name);
        self.named.get(name).or_else(default)
    }

    /// The names of models, which are no lists.
    fn known(&self) -> impl Iterator<Item = &str> {
        let default = self.default.iter().map(|model| model.name());
        self.named.keys().map(String::as_str).chain(default)
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
        let said = match self.said.is_empty() {
            true => None,
            false => variable(name).and_then(|end| self.said.get(&end)),
        };
        if let Some(names) = said {
            return names.iter().filter_map(|name| self.model(name)).collect();
        }
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
