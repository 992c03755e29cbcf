//! What is known of a flow: its entries, its hooks, and who takes turns.

use std::time::Duration;

use super::{BlockDef, Head, Kind, Lasting, Reach, StateDef, graph};

/// A flow: its kind and its entries.
#[derive(Debug)]
#[non_exhaustive]
pub struct FlowDef {
    /// The struct's name.
    pub name: &'static str,
    /// The name it is known under outside.
    pub kind: &'static str,
    /// The entries that are called from outside, in order.
    pub actions: &'static [ActionDef],
    /// The entries that only blocks start, in sessions of their own.
    pub internal: &'static [ActionDef],
    /// The entries that work on tasks.
    pub tasks: &'static [ActionDef],
    /// The blocks of all hooks: those of the entries, then those of the flow.
    pub hooks: &'static [&'static BlockDef],
    /// The states that outlive their blocks, over all entries and hooks, and the flow's own.
    pub lasting: &'static [Lasting],
    /// The type of its configuration.
    pub config: Option<&'static StateDef>,
    /// Whether each call needs a user.
    pub require_user: bool,
    /// Whether there may be several of it in one app, each with an id.
    pub collection: bool,
}

/// What sort of entry it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryType {
    /// Called from outside.
    Action,
    /// Started by blocks.
    Internal,
    /// Works on a task.
    Task,
}

impl EntryType {
    /// The word that stands before the entry, `#[internal]`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Internal => "internal",
            Self::Task => "task",
        }
    }
}

impl FlowDef {
    /// A flow's definition, as the macro writes it.
    #[must_use]
    pub const fn new(
        name: &'static str,
        kind: &'static str,
        actions: &'static [ActionDef],
        lasting: &'static [Lasting],
    ) -> Self {
        Self {
            name,
            kind,
            actions,
            internal: &[],
            tasks: &[],
            hooks: &[],
            lasting,
            config: None,
            require_user: false,
            collection: false,
        }
    }

    /// The same, with entries that are not called from outside.
    #[must_use]
    pub const fn entries(
        self,
        internal: &'static [ActionDef],
        tasks: &'static [ActionDef],
    ) -> Self {
        Self { internal, tasks, ..self }
    }

    /// The same, with the blocks of its hooks.
    #[must_use]
    pub const fn hooks(self, hooks: &'static [&'static BlockDef]) -> Self {
        Self { hooks, ..self }
    }

    /// The same, with a configuration of this type.
    #[must_use]
    pub const fn config(self, config: &'static StateDef) -> Self {
        Self { config: Some(config), ..self }
    }

    /// The same, and each call needs a user.
    #[must_use]
    pub const fn require_user(self) -> Self {
        Self { require_user: true, ..self }
    }

    /// The same, and an app may have several of it.
    #[must_use]
    pub const fn collection(self) -> Self {
        Self { collection: true, ..self }
    }

    /// The entries of one sort.
    #[must_use]
    pub const fn of(&self, ty: EntryType) -> &'static [ActionDef] {
        match ty {
            EntryType::Action => self.actions,
            EntryType::Internal => self.internal,
            EntryType::Task => self.tasks,
        }
    }

    /// The entry of this sort and name.
    ///
    /// ```
    /// use flowstate::prelude::*;
    /// use flowstate::schema::EntryType;
    ///
    /// #[block(handler)]
    /// async fn answer(input: String) -> Result<String> {
    ///     Ok(input)
    /// }
    ///
    /// flow! {
    ///     pub struct Chat {
    ///         pub say: answer,
    ///         #[internal]
    ///         remind: answer,
    ///     }
    /// }
    ///
    /// let def = <Chat as Flow>::DEF;
    /// assert!(def.entry(EntryType::Internal, "remind").is_some());
    /// assert!(def.entry(EntryType::Action, "remind").is_none());
    /// ```
    #[must_use]
    pub fn entry(&self, ty: EntryType, name: &str) -> Option<&'static ActionDef> {
        self.of(ty).iter().find(|entry| entry.name == name)
    }

    /// The blocks of all entries and hooks.
    pub fn blocks(&self) -> impl Iterator<Item = &'static BlockDef> + use<> {
        let all = [self.actions, self.internal, self.tasks].into_iter().flatten();
        all.map(|entry| entry.block).chain(self.hooks.iter().copied())
    }

    /// Whether a call of this entry needs a user: the flow says so, or the entry's blocks or the hooks use a state of the user.
    #[must_use]
    pub fn needs_user(&self, entry: &ActionDef) -> bool {
        let mut blocks = self.hooks.iter().copied().chain([entry.block]);
        self.require_user || blocks.any(|block| uses(block, Reach::User))
    }

    /// The flow as a graph, in the language of [Mermaid](https://mermaid.js.org).
    #[must_use]
    pub fn graph(&self) -> String {
        graph::of(self)
    }
}

/// One entry of a flow.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ActionDef {
    /// The entry's name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The block it runs.
    pub block: &'static BlockDef,
    /// What becomes of a call while others run.
    pub concurrency: Concurrency,
    /// Who takes turns.
    pub key: TurnKey,
    /// How long a call waits in the line.
    pub wait: Duration,
    /// How many tokens its request may use.
    pub token_budget: Option<u64>,
}

/// What becomes of a call of an action while others of its line run, `#[action(concurrency = queue)]`.
///
/// Those that take turns are in one line: the requests of one session, unless `key` says otherwise. All but `allow` take a
/// place in it. This counts within one process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Concurrency {
    /// It runs, and makes nobody wait.
    #[default]
    Allow,
    /// It waits for its turn, first come, first served; after `wait`, 30 s where it is not said, it fails, code
    /// `queue_timeout`.
    Queue,
    /// It fails where there is anybody in the line, code `action_busy`.
    Reject,
    /// It runs at once, and others wait for it.
    Hold,
    /// It runs when the line is empty. After 30 s it goes to its end, as one that is queued without a limit.
    Defer,
}

/// Who takes turns, `#[action(concurrency = queue, key = user)]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnKey {
    /// The requests of one session; a request without one does not wait.
    #[default]
    Session,
    /// The requests of one user; a request without one does not wait.
    User,
    /// Nobody.
    None,
    /// The requests of one flow for which a function gives the same text; where it gives `None`, nobody.
    Custom,
}

impl ActionDef {
    /// An entry's definition, as the macro writes it.
    #[must_use]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        block: &'static BlockDef,
    ) -> Self {
        Self {
            name,
            description,
            block,
            concurrency: Concurrency::Allow,
            key: TurnKey::Session,
            wait: Duration::from_secs(30),
            token_budget: None,
        }
    }

    /// The same, with who takes turns, and how long one waits, in milliseconds.
    #[must_use]
    pub const fn turns(self, concurrency: Concurrency, key: TurnKey, wait: u64) -> Self {
        Self { concurrency, key, wait: Duration::from_millis(wait), ..self }
    }

    /// The same, with how many tokens its request may use.
    #[must_use]
    pub const fn token_budget(self, tokens: u64) -> Self {
        Self { token_budget: Some(tokens), ..self }
    }
}

fn uses(def: &BlockDef, reach: Reach) -> bool {
    // (an adapter lists nothing itself)
    let inside = || def.head.kind == Kind::Adapter && def.children.iter().any(|c| uses(c, reach));
    def.lasting.iter().any(|one| one.reach == reach) || inside()
}

/// The head of a flow: it brings what the flow itself declares.
#[doc(hidden)]
#[must_use]
pub const fn lasts(name: &'static str, lasting: &'static [Lasting]) -> Head {
    let new = Head::new(name, Kind::Handler);
    Head { lasting, ..new }
}
