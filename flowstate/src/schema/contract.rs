//! What the compiler knows of contracts.

use super::message::Text;
use super::{Head, Id, Lasting, Reach, StateDef};

/// A state that is changed by reducers alone and seen by readers alone, made by `#[contract]`.
#[derive(Debug)]
#[non_exhaustive]
pub struct ContractDef {
    /// What each value of it belongs to.
    pub reach: Reach,
    /// The version of its shape, from 1 on.
    pub version: u32,
    /// The names of its reducers, in order.
    pub reducers: &'static [&'static str],
    /// The names of its readers, in order.
    pub readers: &'static [&'static str],
    /// Whether its default holds; else what is wrong with it.
    pub initial: fn() -> Result<(), String>,
}

impl ContractDef {
    /// A contract's definition, as the macro writes it.
    #[must_use]
    pub const fn new(
        reach: Reach,
        version: u32,
        reducers: &'static [&'static str],
        readers: &'static [&'static str],
        initial: fn() -> Result<(), String>,
    ) -> Self {
        Self { reach, version, reducers, readers, initial }
    }
}

/// A view of a contract that a block is shown: `Profile::assistant(budget = 200)`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ViewDef {
    /// The contract.
    pub contract: &'static StateDef,
    /// The reader that renders it.
    pub reader: &'static str,
    /// How many tokens it may take; `None` where it is not limited.
    pub budget: Option<u32>,
}

impl ViewDef {
    /// A view, as the macro writes it.
    #[must_use]
    pub const fn new(
        contract: &'static StateDef,
        reader: &'static str,
        budget: Option<u32>,
    ) -> Self {
        Self { contract, reader, budget }
    }
}

impl Lasting {
    /// A contract that a block reads or writes.
    #[must_use]
    pub const fn contract(state: &'static StateDef, block: &'static str, writes: bool) -> Self {
        let reach = match state.contract {
            Some(contract) => contract.reach,
            None => Reach::Session,
        };
        Self { writes, ..Self::new(reach, state, block, None) }
    }
}

impl Head {
    /// The same, with these views of contracts, and the contracts that it writes and feeds.
    #[must_use]
    pub const fn contracts(
        mut self,
        reads: &'static [ViewDef],
        writes: &'static [&'static StateDef],
        feeds: &'static [&'static StateDef],
    ) -> Self {
        (self.reads, self.writes, self.feeds) = (reads, writes, feeds);
        self
    }

    /// How many tokens the block's views may take together; `None` where one of them is not limited.
    ///
    /// ```
    /// use flowstate::prelude::*;
    ///
    /// #[state]
    /// pub struct Notes { pub all: Vec<String> }
    ///
    /// #[contract]
    /// impl Notes {
    ///     #[reader]
    ///     fn list(&self) -> String { self.all.join("\n") }
    ///     #[reader]
    ///     fn count(&self) -> String { self.all.len().to_string() }
    /// }
    ///
    /// #[block(handler, reads = [Notes::list(budget = 500), Notes::count(budget = 10)])]
    /// async fn recall(_: (), ctx: Ctx) -> Result<String> {
    ///     ctx.reads.notes.list().await
    /// }
    ///
    /// const _: () = assert!(recall::HEAD.read_budget().unwrap() <= 1000);
    /// ```
    #[must_use]
    pub const fn read_budget(&self) -> Option<u32> {
        let (mut sum, mut i) = (0_u32, 0);
        while i < self.reads.len() {
            match self.reads[i].budget {
                Some(budget) => sum = sum.saturating_add(budget),
                None => return None,
            }
            i += 1;
        }
        Some(sum)
    }

    /// Whether the block itself writes this contract.
    pub(super) const fn writes(&self, contract: Id) -> bool {
        any(self.writes, contract)
    }
}

/// Why a contract cannot be the state of a block.
pub(crate) const fn contract_held(name: &'static str, contract: &ContractDef) -> Text {
    let mut text = Text::new();
    text.add(&[
        "`",
        name,
        "` is a contract: it is changed by its reducers alone, and no block reaches its fields",
    ]);
    text.add(&["\nhelp: `writes = [", name, "]` to call its reducers"]);
    if let [reader, ..] = contract.readers {
        text.add(&[", `reads = [", name, "::", reader, "(budget = 200)]` to see it"]);
    }
    text
}

/// Whether it is one of these.
pub(super) const fn any(all: &[&StateDef], id: Id) -> bool {
    let mut i = 0;
    while i < all.len() {
        if all[i].id.is(id) {
            return true;
        }
        i += 1;
    }
    false
}
