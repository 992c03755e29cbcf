//! What the compiler knows of states, blocks and flows: plain constants, made by the macros, checked by [`check`].

pub mod check;
mod contract;
mod flow;
mod graph;
mod id;
mod message;
mod tools;
mod uses;

use std::any::TypeId;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use contract::contract_held;
pub use contract::{ContractDef, ViewDef};
pub use flow::{ActionDef, Concurrency, EntryType, FlowDef, TurnKey, lasts};
pub use id::{Id, same_text};
use id::{each, hash};
pub use tools::{CapabilityTool, OwnTool, ToolList};
pub use uses::{CapabilityDef, UseDef};

use crate::item::Visibility;

/// A state type: its name, its identity and its fields.
#[derive(Debug)]
#[non_exhaustive]
pub struct StateDef {
    /// The type's name.
    pub name: &'static str,
    /// Where the type is declared: two states are the same only if their ids are.
    pub id: Id,
    /// The name it is stored under.
    pub key: &'static str,
    /// Its fields, in order.
    pub fields: &'static [FieldDef],
    /// What is known of it as a contract, where it is one.
    pub contract: Option<&'static ContractDef>,
    /// A bit for the name of each field: two states without a common bit have no common field.
    names: u64,
}

impl StateDef {
    /// A state's definition, as the macro writes it.
    #[must_use]
    pub const fn new(
        name: &'static str,
        id: &'static str,
        key: &'static str,
        fields: &'static [FieldDef],
    ) -> Self {
        let mut names = 0;
        each!(field in fields => { names |= 1 << (hash(field.name) % 61) });
        Self { name, id: Id::new(id), key, fields, contract: None, names }
    }

    /// The same, as a contract where it is one.
    #[must_use]
    pub const fn contract(mut self, contract: Option<&'static ContractDef>) -> Self {
        self.contract = contract;
        self
    }
}

/// One field of a state.
#[derive(Debug)]
#[non_exhaustive]
pub struct FieldDef {
    /// The field's name.
    pub name: &'static str,
    /// Its type, as written.
    pub ty: &'static str,
    /// Whether it is left out of what is streamed and stored.
    pub transient: bool,
}

impl FieldDef {
    /// A field's definition, as the macro writes it.
    #[must_use]
    pub const fn new(name: &'static str, ty: &'static str, transient: bool) -> Self {
        Self { name, ty, transient }
    }
}

/// How much of the web a model's provider reads before the model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchDepth {
    /// Little: quick and cheap.
    Low,
    /// What the provider takes where nothing is said.
    Medium,
    /// Much.
    High,
}

/// What sort of block it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A function; it runs no other block.
    Handler,
    /// Runs its steps.
    Sequencer,
    /// Runs one of its routes.
    Router,
    /// Asks a model in a loop and runs its tools.
    Generator,
    /// Changes the input, the output or the errors of the block inside; adds no level of its own.
    Adapter,
    /// A back edge to a block that is already running further out.
    Again,
    /// Did not compile; nothing more is said of it.
    Broken,
}

impl Kind {
    /// The word that stands in `#[block(…)]`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sequencer => "sequencer",
            Self::Router => "router",
            Self::Generator => "generator",
            _ => "handler",
        }
    }
}

/// A state that a block holds, and who brought it.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The state.
    pub state: &'static StateDef,
    /// The capability that brought it; `None` where the block declares it itself.
    pub capability: Option<&'static str>,
}

/// A state that a block reads from a block around it.
#[derive(Debug, Clone, Copy)]
pub struct Reads {
    /// The state.
    pub state: &'static StateDef,
    /// Whether the block can do without.
    pub optional: bool,
}

/// A state that a block reads from an ancestor of a given name.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The ancestor's name.
    pub name: &'static str,
    /// The state, and whether the block can do without.
    pub reads: Reads,
}

/// What a state that outlives its block belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reach {
    /// One request.
    Request,
    /// A session: many requests of one conversation.
    Session,
    /// A user.
    User,
    /// An organisation.
    Org,
    /// A flow: its configuration, which nothing changes.
    Flow,
}

impl Reach {
    /// The word that stands in `#[block(…)]`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Session => "session",
            Self::User => "user",
            Self::Org => "org",
            Self::Flow => "flow",
        }
    }
}

/// A state that outlives the block, and the block that declares it.
#[derive(Debug, Clone, Copy)]
pub struct Lasting {
    /// What it belongs to.
    pub reach: Reach,
    /// The state.
    pub state: &'static StateDef,
    /// The block that declares it.
    pub block: &'static str,
    /// The capability of that block that brings it; `None` where the block declares it itself.
    pub capability: Option<&'static str>,
    /// Whether it is a contract that the block writes.
    pub writes: bool,
}

impl Lasting {
    /// A state that a block, or a capability of it, reaches in its session, user, org or request.
    #[must_use]
    pub const fn new(
        reach: Reach,
        state: &'static StateDef,
        block: &'static str,
        capability: Option<&'static str>,
    ) -> Self {
        Self { reach, state, block, capability, writes: false }
    }
}

/// A service that a block needs from its app.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// The type's name, as written.
    pub name: &'static str,
    /// The type.
    pub id: TypeId,
}

/// What a block says of itself.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Head {
    /// Its name, in errors, paths and `targets`.
    pub name: &'static str,
    /// Where it is declared.
    pub id: Id,
    /// What sort of block it is.
    pub kind: Kind,
    /// What it is for: its doc comment, or the option `description`.
    pub description: &'static str,
    /// The states it holds.
    pub holds: &'static [Held],
    /// What it reads from its parent.
    pub parent: &'static [Reads],
    /// What it reads from the nearest sequencer that holds it.
    pub sequencer: &'static [Reads],
    /// What it reads from named ancestors.
    pub targets: &'static [Target],
    /// The states it uses that outlive it.
    pub lasting: &'static [Lasting],
    /// The services it needs.
    pub needs: &'static [Need],
    /// The names of the models it asks; of a generator.
    pub models: &'static [&'static str],
    /// The name of the model that mends their answers, where it is asked by a name of its own.
    pub mender: Option<&'static str>,
    /// Whether its models search the web, and how deep.
    pub search: Option<SearchDepth>,
    /// The capabilities it uses.
    pub uses: &'static [UseDef],
    /// The views of contracts that it is shown.
    pub reads: &'static [ViewDef],
    /// The contracts that it writes.
    pub writes: &'static [&'static StateDef],
    /// The contracts that it feeds, where it is a tool.
    pub feeds: &'static [&'static StateDef],
    /// Who is shown the texts that it streams; where it does not say, the client and the history.
    pub visibility: Option<Visibility>,
    /// Whether what it streams is left out of what is stored.
    pub transient: bool,
    /// Whether it waits for items of its request, which are then kept.
    pub waits: bool,
}

impl Head {
    /// A block of this name that holds, reads and needs nothing.
    ///
    /// ```
    /// use flowstate::schema::{Head, Kind};
    /// const UPPER: Head = Head::new("upper", Kind::Handler);
    /// assert_eq!(UPPER.name, "upper");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            id: Id::new(name),
            kind,
            description: "",
            holds: &[],
            parent: &[],
            sequencer: &[],
            targets: &[],
            lasting: &[],
            needs: &[],
            models: &[],
            mender: None,
            search: None,
            uses: &[],
            reads: &[],
            writes: &[],
            feeds: &[],
            visibility: None,
            transient: false,
            waits: false,
        }
    }

    /// The same, declared elsewhere.
    #[must_use]
    pub const fn id(mut self, id: &'static str) -> Self {
        self.id = Id::new(id);
        self
    }

    /// The same, and its texts are shown to these.
    #[must_use]
    pub const fn visible(mut self, client: bool, history: bool) -> Self {
        self.visibility = Some(Visibility::new(client, history));
        self
    }

    /// The same, and what it streams is not stored.
    #[must_use]
    pub const fn transient(mut self) -> Self {
        self.transient = true;
        self
    }

    /// The same, with these capabilities, and with what they say that it does not say itself.
    #[must_use]
    pub const fn uses(mut self, uses: &'static [UseDef]) -> Self {
        self.uses = uses;
        each!(one in uses => {
            self.transient |= one.capability.transient;
            if self.visibility.is_none() {
                self.visibility = one.capability.visibility;
            }
        });
        self
    }

    /// The same, and it asks the models of these names.
    #[must_use]
    pub const fn models(mut self, models: &'static [&'static str]) -> Self {
        self.models = models;
        self
    }

    /// The same, and the model of this name mends answers.
    #[must_use]
    pub const fn mender(mut self, model: &'static str) -> Self {
        self.mender = Some(model);
        self
    }

    /// The same, and its models search the web.
    #[must_use]
    pub const fn search(mut self, depth: SearchDepth) -> Self {
        self.search = Some(depth);
        self
    }

    /// Whether the app must provide something for it.
    const fn asks_app(&self) -> bool {
        !matches!((self.needs, self.models), ([], []))
    }

    /// The same, and it waits for items of its request.
    #[must_use]
    pub const fn waits(mut self) -> Self {
        self.waits = true;
        self
    }

    /// Whether the block holds this state.
    #[must_use]
    pub const fn has(&self, state: &StateDef) -> bool {
        each!(held in self.holds => {
            if held.state.id.hash == state.id.hash {
                return true;
            }
        });
        uses::bring(self.uses, state)
    }
}

/// What a block reaches for outside of its own tree.
#[derive(Debug, Clone, Copy)]
pub struct Unmet {
    /// Where it looks.
    pub place: Place,
    /// The state.
    pub reads: Reads,
    /// The block that reaches for it.
    pub block: &'static str,
    /// The declaration of that block.
    pub id: Id,
    /// The capability of that block that reaches for it; `None` where it does so itself.
    pub capability: Option<&'static str>,
    /// Whether one ancestor of the target's name was found inside the tree.
    pub found: bool,
}

impl Unmet {
    /// The `nth` state that a block reads from its sequencer.
    #[doc(hidden)]
    #[must_use]
    pub const fn near(head: &Head, nth: usize) -> Self {
        Self::of(head, Place::Sequencer, head.sequencer[nth])
    }

    /// The `nth` state that a block reads from a target.
    #[doc(hidden)]
    #[must_use]
    pub const fn far(head: &Head, nth: usize) -> Self {
        let target = head.targets[nth];
        Self::of(head, Place::Target(target.name), target.reads)
    }

    const fn of(head: &Head, place: Place, reads: Reads) -> Self {
        Self { place, reads, block: head.name, id: head.id, capability: None, found: false }
    }
}

/// Where a block looks for what it reaches for.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// In the nearest sequencer that holds it.
    Sequencer,
    /// In the ancestor of this name.
    Target(&'static str),
    /// Inside the very block that it names (`again`).
    Inside,
}

/// A block and all that it runs: the tree that the checks go over.
#[derive(Debug)]
#[non_exhaustive]
pub struct BlockDef {
    /// What the block says of itself.
    pub head: &'static Head,
    /// What it runs, in order.
    pub children: &'static [&'static BlockDef],
    /// Of a generator, the tools that its capabilities bring: the last of its children.
    #[doc(hidden)]
    pub brought: &'static [Option<CapabilityTool>],
    /// What its tree reaches for outside of itself.
    pub unmet: &'static [Unmet],
    /// The states that outlive their blocks, over the whole tree, each once.
    pub lasting: &'static [Lasting],
    /// Whether a block of the tree needs a service or a model of the app.
    pub needs: bool,
    /// Whether a block of the tree waits for items of its request.
    pub waits: bool,
    /// Whether a block of the tree has two schemas of one stored field by itself, so that its own error says it.
    #[doc(hidden)]
    pub told: bool,
    /// How many sequencers its future holds by their types; 0 where it holds them in a box.
    #[doc(hidden)]
    pub holds: u8,
}

/// So many sequencers in one another share a box, for a type that held all of them could not nest deeper than about 10.
const A_BOX: u8 = 4;

impl BlockDef {
    /// A block that runs no other.
    #[must_use]
    pub const fn leaf(head: &'static Head) -> Self {
        Self {
            head,
            children: &[],
            brought: &[],
            unmet: &[],
            lasting: head.lasting,
            needs: head.asks_app(),
            waits: head.waits,
            told: check::clashes(head),
            holds: 0,
        }
    }

    /// A block that runs no other, and reaches for something around it.
    #[doc(hidden)]
    #[must_use]
    pub const fn reaching(head: &'static Head, unmet: &'static [Unmet]) -> Self {
        Self { unmet, ..Self::leaf(head) }
    }

    /// A block and its children, with what was put together for them by [`check::unmet`] and [`check::lasting`].
    #[must_use]
    pub const fn tree(
        head: &'static Head,
        children: &'static [&'static BlockDef],
        unmet: &'static [Unmet],
        lasting: &'static [Lasting],
    ) -> Self {
        let (mut needs, mut waits) = (head.asks_app(), head.waits);
        let mut told = match children {
            [] => check::clash(lasting, lasting.len()).is_some(),
            _ => check::clashes(head),
        };
        let mut holds = 0;
        each!(child in children => {
            needs |= child.needs;
            waits |= child.waits;
            told |= child.told;
            holds = if child.holds > holds { child.holds } else { holds };
        });
        let holds = match head.kind {
            Kind::Adapter => holds,
            Kind::Sequencer => (holds + 1) % A_BOX,
            _ => 0,
        };
        Self { head, children, brought: &[], unmet, lasting, needs, waits, told, holds }
    }

    /// The same, whose last children are tools that capabilities bring.
    #[doc(hidden)]
    #[must_use]
    pub const fn brought(self, brought: &'static [Option<CapabilityTool>]) -> Self {
        Self { brought, ..self }
    }
}

/// A block's head, as the macro writes it.
#[doc(hidden)]
#[expect(clippy::too_many_arguments)]
#[must_use]
pub const fn head(
    name: &'static str,
    id: &'static str,
    kind: Kind,
    description: &'static str,
    holds: &'static [Held],
    parent: &'static [Reads],
    sequencer: &'static [Reads],
    targets: &'static [Target],
    lasting: &'static [Lasting],
    needs: &'static [Need],
) -> Head {
    let (id, new) = (Id::new(id), Head::new("", kind));
    Head { name, id, description, holds, parent, sequencer, targets, lasting, needs, ..new }
}
