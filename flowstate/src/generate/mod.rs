//! Generators: a model that is asked in a loop, and the blocks that are its tools.
//!
//! The guide's page is [`generators`](crate::guide::generators).

mod ask;
mod bring;
pub mod format;
mod output;
mod plain;
mod prompt;
mod repair;
mod run;
mod tags;
mod tools;

pub use crate::port::{CacheKey, MemoryToolCache, ToolCache};
pub use crate::scope::{ToolOutputs, ToolStats};
#[doc(hidden)]
pub use bring::{AllBring, Asking, Brings, Said, SaidOtherwise, Step, bring, bring_tools};
pub(crate) use prompt::last_turns;
pub use prompt::{DeclaredIn, Progress, Prompt};
pub use repair::repair;
#[doc(hidden)]
pub use run::{Generation, Repair};
#[doc(hidden)]
pub use tags::tag_name;
#[doc(hidden)]
pub use tools::{DeclaredTool, tool};
