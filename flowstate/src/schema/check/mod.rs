//! The checks over the tree of definitions. The macros call them in constants, so `cargo check` runs them; the same
//! functions say at run time what only run time knows.

mod child;
mod contract;
mod lasting;
mod root;
mod text;
mod unmet;

pub(super) use child::child_problem;
pub use child::{child, tool};
pub(crate) use contract::changes;
pub use contract::{beside, view, writes};
pub use lasting::{NOBODY, client, flow, flows_clash, lasting, lasting_len};
pub(super) use lasting::{clash, clashes, shared_field};
pub use root::{entry, hook, is_root, token_budget, why_not_root};
pub(super) use text::named;
pub use unmet::{unmet, unmet_inside, unmet_len};

pub use super::tools::{
    brought, brought_len, brought_tools, capability_tool, models, models_len, one_model,
    with_brought,
};
pub use super::uses::{capability, preset, states};

/// How many different states one tree may reach for, and how many it may use that outlive it.
pub const MOST: usize = 256;
