//! The items of a request, put together from its events.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use super::{EventKind, Item, ItemKind};

/// The items of a request so far, each as it is now: those of one key replaced, in the order they began.
///
/// It is a slice of them. What a `wait_for_condition` asks for most often is a method.
#[derive(Debug, Clone, Default)]
pub struct Items {
    all: Vec<Arc<Item>>,
    by_index: HashMap<u64, usize>,
    by_key: HashMap<String, usize>,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// It began.
    Added,
    /// It is another now, or its text grew.
    Updated,
    /// It is final.
    Done,
}

impl Items {
    /// Those that come from this block; of a state change, the block that holds the state.
    ///
    /// `|items| items.of("draft").any(|item| item.is_final())`
    pub fn of<'a>(&'a self, block: &'a str) -> impl Iterator<Item = &'a Item> {
        self.iter().map(Arc::as_ref).filter(move |item| item.block == block)
    }

    /// Whether this block has said something to the user, and the text is final.
    #[must_use]
    pub fn has_message_of(&self, block: &str) -> bool {
        self.of(block).any(|item| item.is_final() && item.message().is_some())
    }

    /// The item that has this key.
    #[must_use]
    pub fn keyed(&self, key: &str) -> Option<&Item> {
        self.by_key.get(key).map(|at| &*self.all[*at])
    }

    /// The last part of a user interface that has this name.
    #[must_use]
    pub fn component(&self, name: &str) -> Option<&Item> {
        let named = |item: &&Item| item.component().is_some_and(|part| part.component == name);
        self.iter().rev().map(Arc::as_ref).find(named)
    }

    /// What is being done right now; empty where nothing is.
    #[must_use]
    pub fn status(&self) -> &str {
        match self.keyed("status").map(Item::kind) {
            Some(ItemKind::Status(line)) => &line.message,
            _ => "",
        }
    }

    /// Takes an event in, and says what became of which item.
    pub(crate) fn take(&mut self, event: &EventKind) -> Option<(&Item, Change)> {
        let (item, change) = match event {
            EventKind::Added(item) => (item, Change::Added),
            EventKind::Updated(item) => (item, Change::Updated),
            EventKind::Done(item) => (item, Change::Done),
            EventKind::Delta { index, text } => {
                let item = &mut self.all[*self.by_index.get(index)?];
                if item.index != *index || item.is_final() {
                    return None;
                }
                Arc::make_mut(item).kind.text_mut()?.push_str(text);
                return Some((item, Change::Updated));
            }
            EventKind::Lagged { .. } | EventKind::Ended(_) => return None,
        };
        let at = self.place(item);
        self.all[at] = item.clone();
        Some((&self.all[at], change))
    }

    /// Where an item stands: in place of itself, or of the one that has its key.
    fn place(&mut self, item: &Arc<Item>) -> usize {
        let keyed = item.key.as_ref().and_then(|key| self.by_key.get(key));
        let same = self.by_index.get(&item.index).filter(|at| self.all[**at].index == item.index);
        let at = keyed.or(same).copied().unwrap_or_else(|| {
            self.all.push(item.clone());
            self.all.len() - 1
        });
        self.by_index.insert(item.index, at);
        if let Some(key) = &item.key {
            self.by_key.entry(key.clone()).or_insert(at);
        }
        at
    }
}

impl Deref for Items {
    type Target = [Arc<Item>];
    fn deref(&self) -> &[Arc<Item>] {
        &self.all
    }
}

impl From<Items> for Vec<Item> {
    fn from(items: Items) -> Self {
        items.all.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}
